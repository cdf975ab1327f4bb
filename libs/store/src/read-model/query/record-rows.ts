/**
 * The text of a record of `page`, as JSON: its document with arguments and outcome. The database puts it together, so that
 * nothing that is stored as JSON is parsed to be written again.
 */
export const recordItem = (withArguments: boolean, outcome = 'page.outcome'): string => {
  const text = withArguments ? `coalesce(page.arguments, 'null')` : `'null'`;
  return `page.document || ',"arguments":' || ${text} || ',"outcome":' || coalesce('"' || ${outcome} || '"', 'null') || '}'`;
};

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

/**
 * A number of rows, as SQL text. Not a parameter: the planner of a prepared statement must know that it is small.
 *
 * @throws TypeError for anything but a whole number
 */
export function atMost(rows: number): string {
  if (!Number.isSafeInteger(rows) || rows < 0) throw new TypeError(`Not a number of rows: ${rows}`);
  return String(rows);
}

/** What a page of records is made of. */
export interface RecordPageParts {
  /** Selects the records in order, one beyond the limit: that there is more is all that the last one tells. */
  readonly selection: string;
  readonly order: 'run_sequence' | 'workspace_sequence DESC';
  readonly limit: number;
  readonly withArguments: boolean;
}

/** `body`: one row with the text of all records of the page, their number, and the sequence of the last. */
export function recordPage({ selection, order, limit, withArguments }: RecordPageParts): string {
  const [column = order, direction] = order.split(' ');
  const ranked = `SELECT found.*, row_number() OVER (${runningOver(order)}) <= ${atMost(limit)} AS shown, ${bytesBefore(order, withArguments)} AS bytes_before
    FROM (${selection}) AS found`;
  const fits = `shown AND bytes_before < ${maximumBytes}`;
  return `body AS (SELECT string_agg(${recordItem(withArguments)}, ',' ORDER BY ${order}) FILTER (WHERE ${fits}) AS text,
      count(*) FILTER (WHERE ${fits}) AS shown, ${direction ? 'min' : 'max'}(${column}) FILTER (WHERE ${fits}) AS last, count(*) AS found
    FROM (${ranked}) AS page)`;
}

const runningOver = (order: string): string => `ORDER BY ${order} ROWS UNBOUNDED PRECEDING`;

/** How many bytes of arguments come before a record of `found`; none where they are withheld. */
function bytesBefore(order: string, withArguments: boolean): string {
  const size = 'coalesce(octet_length(found.arguments), 0)';
  return withArguments ? `sum(${size}) OVER (${runningOver(order)}) - ${size}` : '0';
}

/** What `selection` finds of records, as far as one answer holds their arguments: at least one. */
export function fittingRecords(selection: string, { order, withArguments }: Pick<RecordPageParts, 'order' | 'withArguments'>): string {
  if (!withArguments) return selection;
  return `SELECT * FROM (SELECT found.*, ${bytesBefore(order, withArguments)} AS bytes_before FROM (${selection}) AS found) AS bounded
    WHERE bytes_before < ${maximumBytes}`;
}

/** The columns of `body`. */
export interface RecordPageColumns {
  readonly text: string | null;
  readonly shown: string;
  readonly last: string | null;
  readonly found: string | null;
}
export const recordPageColumns = 'body.text, body.shown, body.last, body.found';

/** Records as JSON text, and where to go on. */
export interface RecordsText {
  /** Each a JSON document, with the separator between them. */
  readonly text: string;
  readonly count: number;
  /** The sequence of the last one when there are more; else null. */
  readonly next: number | null;
}

export function toRecordsText([row]: readonly RecordPageColumns[]): RecordsText {
  const more = Number(row?.found ?? 0) > Number(row?.shown ?? 0);
  return { text: row?.text ?? '', count: Number(row?.shown ?? 0), next: more ? Number(row!.last) : null };
}
