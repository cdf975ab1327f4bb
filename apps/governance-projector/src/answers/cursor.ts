import { hash } from 'node:crypto';
import { ProblemError } from '@agentstration/service-kit';

/** Where a page ended: below this number, in this Journal. */
export interface CursorPosition {
  readonly before: number;
  /** The Journal's identity. */
  readonly journal: string | null;
}

/**
 * An opaque cursor for the same query of the same Workspace alone. It grants nothing, for every page is scoped again; its
 * digest makes sure that a cursor of another query, or a damaged one, is refused and not silently wrong.
 */
export function encodeCursor({ before, journal }: CursorPosition, query: unknown): string {
  const text = `${before} ${journal ?? ''}`;
  return Buffer.from(`${digest(text, query)}${text}`).toString('base64url');
}

/** @throws ProblemError `invalid_cursor` unless {@link encodeCursor} made it for this query. */
export function decodeCursor(cursor: string, query: unknown): CursorPosition {
  const text = Buffer.from(cursor, 'base64url').toString('utf8').slice(digestLength);
  const [before = '', journal = ''] = text.split(' ');
  const position = { before: Number(before), journal: journal === '' ? null : journal };
  if (cursor.length > 512 || !Number.isSafeInteger(position.before) || encodeCursor(position, query) !== cursor) throw invalidCursor();
  return position;
}

export const invalidCursor = (): ProblemError =>
  new ProblemError(
    'invalid_cursor',
    'cursor must be the one that the page before of the same query in the same workspace gave, and not be outlived by its records',
  );

const digestLength = 22;
const digest = (text: string, query: unknown): string => hash('sha256', JSON.stringify([text, query]), 'base64url').slice(0, digestLength);
