import type { RunKey } from '@agentstration/contracts';
import type { GovernanceRecord } from '@agentstration/governance';
import { type Owner, type OwnerColumns, ofRun, ownerColumns, ownerOf, toOwner } from './owner.ts';
import type { ReadModelReader } from './read-model-reader.ts';
import { type RecordFilter, recordConditions } from './record-filter.ts';
import { type StoredRecord, recordColumns, recordJoins, recordsIn } from './record-rows.ts';

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
export async function listRunRecords(reader: ReadModelReader, query: RunRecordsQuery): Promise<RunPage<GovernanceRecord>> {
  const { run, afterSequence, limit, filter, withArguments } = query;
  const answer = await reader.read<Partial<StoredRecord> & OwnerColumns>((t, to) => ({
    with: [
      ownerOf(run, t, to),
      `page AS (SELECT rec.* FROM ${t.record} AS rec
        WHERE ${[ofRun('rec'), `rec.run_sequence > ${to.add(afterSequence)}`, ...recordConditions(filter, t, to)].join(' AND ')}
        ORDER BY rec.run_sequence LIMIT ${to.add(limit + 1)})`,
    ],
    columns: `${ownerColumns}, ${recordColumns(withArguments)}`,
    joins: `LEFT JOIN owner ON true ${recordJoins(t, withArguments)}`,
    orderBy: 'page.run_sequence',
  }));
  return toRunPage(answer, recordsIn(answer.rows), limit);
}

/** Cuts what was read beyond the limit to see whether there is more. */
export function toRunPage<Item extends { readonly sequence: number }>(
  answer: { readonly projectedSequence: number; readonly rows: readonly OwnerColumns[] },
  found: readonly Item[],
  limit: number,
): RunPage<Item> {
  const items = found.slice(0, limit);
  const nextSequence = found.length > limit ? items.at(-1)!.sequence : null;
  return { projectedSequence: answer.projectedSequence, ...toOwner(answer.rows), items, nextSequence };
}
