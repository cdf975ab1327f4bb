import type { Fault } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';

/**
 * A body as its JSON Schema wants it. Bodies of runs hold free JSON that must reach a provider unchanged: nothing may
 * copy or convert it on the way, whatever its properties are called.
 *
 * @throws ProblemError `invalid_definition` with every fault at once.
 */
export function readRunBody<Body>(check: (document: unknown) => Fault[], document: unknown): Body {
  if (document === undefined) throw new ProblemError('malformed_request', 'A body is required');
  const errors = check(document);
  if (errors.length === 0) return document as Body;
  throw new ProblemError('invalid_definition', errors.length === 1 ? 'The body has a fault' : `The body has ${errors.length} faults`, {
    errors,
  });
}
