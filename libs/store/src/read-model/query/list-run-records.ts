import type { RunKey } from '@agentstration/contracts';
import { type Owner, type OwnerColumns, ofRun, ownerColumns, ownerOf, toOwner } from './owner.ts';
import type { ReadModelReader } from './read-model-reader.ts';
import { type RecordFilter, recordConditions } from './record-filter.ts';
import { type Render, type StoredRecord, cutPage, pageOf, recordColumns } from './record-rows.ts';

export interface RunPageQuery {
  readonly run: RunKey;
  readonly afterSequence: number;
  readonly limit: number;
}
export interface RunRecordsQuery extends RunPageQuery {
  readonly filter: RecordFilter;
  /** Whether the reader may see the text of retained arguments. */
  readonly withArguments: boolean;
}

/** A page of what a Run has, ascending by its numbers. */
export interface RunPage<Item> extends Owner {
  readonly projectedSequence: number;
  readonly items: readonly Item[];
  /** Continue after this sequence; null on the last page. */
  readonly nextSequence: number | null;
}

/** The governance records of a Run. */
export async function listRunRecords<Item>(reader: ReadModelReader, query: RunRecordsQuery, render: Render<Item>): Promise<RunPage<Item>> {
  const { run, afterSequence, limit, filter, withArguments } = query;
  const answer = await reader.read<Partial<StoredRecord> & OwnerColumns>((t, to) => ({
    with: [
      ownerOf(run, t, to),
      pageOf(
        `SELECT rec.* FROM ${t.record} AS rec
         WHERE ${[ofRun('rec'), `rec.run_sequence > ${to.add(afterSequence)}`, ...recordConditions(filter, t, to)].join(' AND ')}
         ORDER BY rec.run_sequence LIMIT ${to.add(limit + 1)}`,
        { order: 'run_sequence', withArguments },
      ),
    ],
    columns: `${ownerColumns}, ${recordColumns(t, withArguments)}`,
    joins: 'LEFT JOIN owner ON true LEFT JOIN page ON true',
    orderBy: 'page.run_sequence',
  }));
  const { shown, more } = cutPage(answer.rows, limit);
  return toRunPage(answer, shown, { more, sequenceOf: ({ run_sequence }) => Number(run_sequence), render });
}

interface PageForm<Row, Item> {
  readonly more: boolean;
  readonly sequenceOf: (row: Row) => number;
  readonly render: (row: Row) => Item;
}

/** A page of these rows. */
export const toRunPage = <Row, Item>(
  answer: { readonly projectedSequence: number; readonly rows: readonly OwnerColumns[] },
  rows: readonly Row[],
  { more, sequenceOf, render }: PageForm<Row, Item>,
): RunPage<Item> => ({
  projectedSequence: answer.projectedSequence,
  ...toOwner(answer.rows),
  items: rows.map(render),
  nextSequence: more ? sequenceOf(rows.at(-1)!) : null,
});
