import { ProblemError } from '@agentstration/service-kit';
import type { StoredResource } from '@agentstration/store';
import { type EntityTags, parseEntityTags, satisfiesIfMatch } from './entity-tag.ts';
import { resourceNotFound } from './resource-address.ts';

/** The headers that make a write conditional. */
export interface ConditionalHeaders {
  readonly 'if-match'?: string;
  readonly 'if-none-match'?: string;
}

export const etagMismatch = (): ProblemError =>
  new ProblemError('etag_mismatch', 'The resource is not as If-Match or If-None-Match says: read it again and decide anew');

/** The caller's `If-Match`. A write without it would overwrite what its writer has not seen. */
export function requireIfMatch(headers: ConditionalHeaders): EntityTags {
  const tags = parseEntityTags(headers['if-match'], 'If-Match');
  if (!tags) throw new ProblemError('precondition_required', 'Send If-Match with the ETag of the resource as you read it');
  return tags;
}

/** Whether a `PUT` is to create: `If-None-Match: *`, and nothing else beside it. */
export function isCreateOnly(headers: ConditionalHeaders): boolean {
  const tags = parseEntityTags(headers['if-none-match'], 'If-None-Match');
  if (!tags) return false;
  if (tags !== '*') throw new ProblemError('malformed_request', 'If-None-Match of a PUT must be *');
  if (headers['if-match'] !== undefined) throw new ProblemError('malformed_request', 'Send If-Match or If-None-Match, not both');
  return true;
}

interface ConditionalWrite<Done> {
  readonly ifMatch: EntityTags;
  read(): Promise<StoredResource | undefined>;
  /** Compare-and-set against what was read. */
  attempt(current: StoredResource): Promise<Done | { readonly kind: 'conflict' | 'not_found' }>;
}

const attemptsOfAnyone = 10;

/**
 * Reads, checks `If-Match`, writes by compare-and-set. A lost race is a mismatch for a named tag; for `*`, which names
 * whatever stands there, the write is tried again on what the winner left.
 */
export async function writeIfMatch<Done extends { readonly kind: string }>(
  write: ConditionalWrite<Done>,
): Promise<Exclude<Done, { readonly kind: 'conflict' | 'not_found' }>> {
  for (let attempt = 1; attempt <= attemptsOfAnyone; attempt += 1) {
    const current = await write.read();
    if (!current) throw resourceNotFound();
    if (!satisfiesIfMatch(write.ifMatch, current)) throw etagMismatch();
    const outcome = await write.attempt(current);
    if (outcome.kind === 'not_found') throw resourceNotFound();
    if (outcome.kind !== 'conflict') return outcome as Exclude<Done, { readonly kind: 'conflict' | 'not_found' }>;
    if (write.ifMatch !== '*') throw etagMismatch();
  }
  throw etagMismatch();
}
