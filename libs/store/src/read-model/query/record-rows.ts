import type { StoredDocument } from '../tables/record-document.ts';
import type { TableNames } from '../tables/generation-tables.ts';

/** A record as the driver reads it. */
export interface StoredRecord extends StoredDocument {
  readonly run_sequence: string;
  readonly workspace_sequence: string;
  /** How many records were found, where a page was cut by the size of its arguments. */
  readonly found?: string;
}

/** What a reader gets for each record: the record, or its JSON text. */
export type Render<Item> = (stored: StoredRecord) => Item;

/**
 * The columns of `page`, a selection of records. The facts whose arguments are asked for are looked up one by one, and only
 * where arguments were retained.
 */
export const recordColumns = (t: TableNames, withArguments: boolean, outcome = 'page.outcome'): string =>
  `page.run_sequence, page.workspace_sequence, page.document, ${outcome}${
    withArguments
      ? `, page.found, CASE WHEN page.arguments_bytes > 0 THEN (SELECT m.payload FROM ${t.message} AS m
          WHERE m.workspace_key = page.workspace_key AND m.workspace_sequence = page.workspace_sequence) END AS payload`
      : ''
  }`;

/** As many bytes of arguments or facts as one page holds; a single one may exceed it. */
const maximumBytes = 16 * 1024 ** 2;

/**
 * `page`, what `selection` finds: all of it, or as much as its size allows, so that the memory of an answer is bounded
 * whatever was retained. `found` says how many there are.
 *
 * @param bytes the size of a row, as an expression
 */
export const boundedPage = (selection: string, { order, bytes }: { readonly order: string; readonly bytes: string }): string =>
  `page AS (SELECT * FROM (SELECT found.*, count(*) OVER () AS found,
       sum(${bytes}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - ${bytes} AS bytes_before
     FROM (${selection}) AS found) AS bounded WHERE bytes_before < ${maximumBytes})`;

/** {@link boundedPage} of records whose arguments are asked for. */
export const pageOf = (selection: string, { order, withArguments }: { readonly order: string; readonly withArguments: boolean }): string =>
  withArguments ? boundedPage(selection, { order, bytes: 'arguments_bytes' }) : `page AS (${selection})`;

/** The rows that hold a record: a join that found none still gives one row. */
export const recordsIn = <Row extends Partial<StoredRecord>>(rows: readonly Row[]): (Row & StoredRecord)[] =>
  rows.filter((row): row is Row & StoredRecord => row.run_sequence !== undefined && row.run_sequence !== null);

/** The records of a page, and whether more were found than it holds. */
export function cutPage<Row extends Partial<StoredRecord>>(
  rows: readonly Row[],
  limit: number,
): { readonly shown: (Row & StoredRecord)[]; readonly more: boolean } {
  const records = recordsIn(rows);
  const shown = records.slice(0, limit);
  return { shown, more: Number(records[0]?.found ?? records.length) > shown.length };
}
