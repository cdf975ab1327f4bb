import type { Scope } from '@agentstration/contracts';
import pg from 'pg';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { borrowClient } from './borrow-client.ts';
import { scopeSettings, setScope } from './scope.ts';

/** Gets the bytes of one row; they are the driver's, and good only until it returns. */
export type OnCopiedRow = (row: Buffer) => void;

/**
 * The rows of a query in one Workspace as `COPY` writes them: bytes that nothing here reads, let alone parses. `COPY` takes
 * no parameters: values stand in the text, as {@link toLiteral} writes them.
 *
 * @param copy `COPY (…) TO STDOUT …`
 * @throws StoreUnavailable, StoreFailure; rows that came before count for nothing then
 */
export const copyInScope = (
  dataSource: DataSource,
  scope: Scope,
  copy: { readonly text: string; readonly onRow: OnCopiedRow },
): Promise<void> =>
  borrowClient(dataSource, (client) => runCopy(client, { ...copy, text: `SELECT ${scopeLiterals(scope)}; ${copy.text}` }));

/** A value as SQL text. @throws TypeError for what is neither text nor a whole number */
export function toLiteral(value: unknown): string {
  if (typeof value === 'string' && !value.includes('\0')) return pg.escapeLiteral(value);
  if (Number.isSafeInteger(value)) return String(value);
  throw new TypeError('Only texts without U+0000 and whole numbers can stand in a statement');
}

const scopeLiterals = (scope: Scope): string => {
  const settings = scopeSettings(scope).map(toLiteral);
  return setScope.replace(/\$(\d)/g, (_, place: string) => settings[Number(place) - 1]!);
};

/** Both statements in one message are one implicit transaction. (PostgreSQL protocol, sections 54.2.2.1 and 54.2.6.) */
const runCopy = (client: PoolClient, { text, onRow }: { readonly text: string; readonly onRow: OnCopiedRow }): Promise<void> =>
  new Promise((resolve, reject) => {
    const ignore = (): void => undefined;
    const query = {
      submit: (connection: { query(text: string): void }) => connection.query(text),
      handleCopyData: ({ chunk }: { readonly chunk: Buffer }) => onRow(chunk),
      handleError: reject,
      handleReadyForQuery: () => resolve(),
      ...{ handleRowDescription: ignore, handleDataRow: ignore, handleCommandComplete: ignore, handleEmptyQuery: ignore },
    };
    client.query(query as unknown as pg.Submittable);
  });
