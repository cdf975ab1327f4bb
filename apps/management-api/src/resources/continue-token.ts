import { createHash } from 'node:crypto';
import { ProblemError } from '@agentstration/service-kit';

/**
 * Where the next page begins, for the same query of the same Workspace alone. It grants nothing, for every query is
 * scoped again; the digest makes sure that a token taken elsewhere or damaged is refused and not silently wrong.
 */
export function encodeContinueToken(position: unknown, query: unknown): string {
  const text = JSON.stringify(position);
  return Buffer.from(`${digest(text, query)}${text}`).toString('base64url');
}

/** @throws ProblemError `invalid_cursor` unless {@link encodeContinueToken} made `token` for the same query. */
export function decodeContinueToken(token: string, query: unknown): unknown {
  const decoded = Buffer.from(token, 'base64url').toString('utf8');
  const text = decoded.slice(digestLength);
  if (token.length > 4096 || decoded.slice(0, digestLength) !== digest(text, query) || encodeContinueToken(read(text), query) !== token)
    throw new ProblemError('invalid_cursor', 'continue must be the token of a page of the same query in the same workspace');
  return read(text);
}

const digestLength = 16;
const digest = (text: string, query: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([text, query]))
    .digest('base64url')
    .slice(0, digestLength);

function read(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
