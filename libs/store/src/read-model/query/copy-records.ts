import type { Literals } from '../project/rows.ts';
import type { TableNames } from '../tables/generation-tables.ts';
import { ofWorkspace, ownerOf } from './owner.ts';
import type { RecordsQuery } from './list-records.ts';
import { type ReadModelReader, columnSeparator } from './read-model-reader.ts';
import { recordConditions } from './record-filter.ts';
import { atMost, fittingRecords, recordItem } from './record-rows.ts';

/**
 * What {@link listRecords} finds, newest first, as lines that the database wrote and nobody parsed. Answers the
 * workspaceSequence below which there may be more; null when there was nothing.
 *
 * @param lines takes them, instead of what it held
 */
export async function copyRecords(reader: ReadModelReader, query: RecordsQuery, lines: RecordLines): Promise<number | null> {
  const { scope, filter, before, limit, withArguments } = query;
  const page = (t: TableNames, to: Literals): string => {
    const below = before === undefined ? [] : [`rec.workspace_sequence < ${to.add(before)}`];
    const selection = `SELECT rec.* FROM ${t.record} AS rec WHERE ${[ofWorkspace('rec'), ...below, ...recordConditions(filter, t, to)].join(' AND ')}
      ORDER BY rec.workspace_sequence DESC LIMIT ${atMost(limit)}`;
    return `WITH ${ownerOf(scope, t, to)} SELECT page.workspace_sequence, ${recordItem(withArguments)}
      FROM (${fittingRecords(selection, { order: 'workspace_sequence DESC', withArguments })}) AS page ORDER BY page.workspace_sequence DESC`;
  };
  await reader.copy(scope, page, () => lines.empty());
  return lines.last;
}

const pieceSize = 256 * 1024;

/**
 * Records as lines, each a JSON document with a line feed after it. Its memory is used again: megabytes that are thrown away
 * for each page would keep the garbage collector at work on everything else.
 */
export class RecordLines {
  #pieces: Buffer[] = [];
  #filled: number[] = [];
  #at = 0;
  #last: number | null = null;

  /** Whole lines in each. Good until {@link empty}. */
  get pieces(): readonly Buffer[] {
    return this.#filled.map((length, index) => this.#pieces[index]!.subarray(0, length));
  }

  /** The number of the last record. */
  get last(): number | null {
    return this.#last;
  }

  empty(): this {
    this.#filled = [];
    this.#at = 0;
    this.#last = null;
    return this;
  }

  readonly onRow = (row: Buffer): void => {
    const end = row.indexOf(columnSeparator);
    this.#last = Number(row.toString('latin1', 0, end));
    const at = this.#roomFor(row.length);
    this.#filled[this.#at] = at + row.copy(this.#pieces[this.#at]!, at, end + 1);
  };

  /** Where the next line goes. */
  #roomFor(length: number): number {
    const filled = this.#filled[this.#at] ?? 0;
    if (filled + length <= (this.#pieces[this.#at]?.length ?? 0)) return filled;
    if (filled > 0) this.#at += 1;
    if ((this.#pieces[this.#at]?.length ?? 0) < length) this.#pieces[this.#at] = Buffer.allocUnsafeSlow(Math.max(pieceSize, length));
    return 0;
  }
}
