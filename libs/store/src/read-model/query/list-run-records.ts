import type { RunKey } from '@agentstration/contracts';
import { type Owner, type OwnerColumns, ofRun, ownerColumns, ownerOf, toOwner } from './owner.ts';
import type { ReadModelReader } from './read-model-reader.ts';
import { type RecordFilter, isEverything, recordConditions } from './record-filter.ts';
import { type RecordPageColumns, type RecordsText, atMost, recordPage, recordPageColumns, toRecordsText } from './record-rows.ts';

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

/** What a page of a Run says beside its items. */
export interface RunPosition extends Owner {
  readonly projectedSequence: number;
}

/** The governance records of a Run, ascending by their numbers; `next` goes on after it. */
export async function listRunRecords(reader: ReadModelReader, query: RunRecordsQuery): Promise<RunPosition & RecordsText> {
  const { run, afterSequence, limit, filter, withArguments } = query;
  const { projectedSequence, rows } = await reader.read<RecordPageColumns & OwnerColumns>(run, (t, to) => ({
    prepared: isEverything(filter),
    with: [
      ownerOf(run, t, to),
      recordPage({
        ...{ withArguments, order: 'run_sequence' },
        selection: `SELECT rec.* FROM ${t.record} AS rec
          WHERE ${[ofRun('rec'), `rec.run_sequence > ${to.add(afterSequence)}`, ...recordConditions(filter, t, to)].join(' AND ')}
          ORDER BY rec.run_sequence LIMIT ${atMost(limit + 1)}`,
        limit,
      }),
    ],
    columns: `${ownerColumns}, ${recordPageColumns}`,
    joins: 'LEFT JOIN owner ON true LEFT JOIN body ON true',
  }));
  return { projectedSequence, ...toOwner(rows), ...toRecordsText(rows) };
}
