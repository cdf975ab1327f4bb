import type { Fault } from '@agentstration/contracts';
import type { HookAnswer, HookInvocation } from '../ports/hook.ts';

/**
 * Behaviour that a `ToolExecutionHook` resource selects by name and feeds with data. A resource can never bring code:
 * handlers are compiled in. Pure: the same configuration and invocation give the same answer.
 */
export interface HookHandler {
  readonly name: string;
  /** JSON Schema of `configuration`, as the API documents it. */
  readonly configurationSchema: object;
  /** Every fault of a configuration at once, pointers relative to it; an empty list for a valid one. */
  validateConfiguration(configuration: unknown): Fault[];
  /** Asked only with a configuration that {@link validateConfiguration} found valid. */
  evaluate(configuration: Readonly<Record<string, unknown>>, invocation: HookInvocation): HookAnswer;
}
