import type { Scope } from '@agentstration/contracts';
import { type Owner, type WorkspaceColumns, ofWorkspace, ownerOf, toOwner, workspaceColumns } from './owner.ts';
import type { ReadModelReader } from './read-model-reader.ts';
import { type RecordFilter, isEverything, recordConditions } from './record-filter.ts';
import { type RecordPageColumns, type RecordsText, atMost, recordPage, recordPageColumns, toRecordsText } from './record-rows.ts';

export interface RecordsQuery {
  readonly scope: Scope;
  readonly filter: RecordFilter;
  /** Only records below this workspaceSequence. */
  readonly before?: number;
  readonly limit: number;
  readonly withArguments: boolean;
}

/** What a page of a Workspace says beside its items. */
export interface WorkspacePosition extends Owner {
  readonly projectedSequence: number;
  /** The Journal's identity; null before its first message. */
  readonly journal: string | null;
  /** The newest number that the Workspace has given. */
  readonly lastSequence: number;
}

/** Records over all Runs of a Workspace, newest first; `next` goes on below it. */
export async function listRecords(reader: ReadModelReader, query: RecordsQuery): Promise<WorkspacePosition & RecordsText> {
  const { scope, filter, before, limit, withArguments } = query;
  const { projectedSequence, journal, rows } = await reader.read<RecordPageColumns & WorkspaceColumns>(scope, (t, to) => {
    const below = before === undefined ? [] : [`rec.workspace_sequence < ${to.add(before)}`];
    return {
      prepared: isEverything(filter),
      with: [
        ownerOf(scope, t, to),
        recordPage({
          ...{ withArguments, order: 'workspace_sequence DESC' },
          selection: `SELECT rec.* FROM ${t.record} AS rec
            WHERE ${[ofWorkspace('rec'), ...below, ...recordConditions(filter, t, to)].join(' AND ')}
            ORDER BY rec.workspace_sequence DESC LIMIT ${atMost(limit + 1)}`,
          limit,
        }),
      ],
      columns: `${workspaceColumns}, ${recordPageColumns}`,
      joins: 'LEFT JOIN owner ON true LEFT JOIN body ON true',
    };
  });
  return { projectedSequence, journal, lastSequence: Number(rows[0]?.last_sequence ?? 0), ...toOwner(rows), ...toRecordsText(rows) };
}
