import type { Scope } from '@agentstration/contracts';
import type { GovernanceRecord } from '@agentstration/governance';
import { type Owner, type WorkspaceColumns, ofWorkspace, ownerOf, toOwner, workspaceColumns } from './owner.ts';
import type { ReadModelReader } from './read-model-reader.ts';
import { type RecordFilter, recordConditions } from './record-filter.ts';
import { type StoredRecord, recordColumns, recordJoins, recordsIn } from './record-rows.ts';

export interface RecordsQuery {
  readonly scope: Scope;
  readonly filter: RecordFilter;
  /** Only records below this workspaceSequence. */
  readonly before?: number;
  readonly limit: number;
  readonly withArguments: boolean;
}

/** Records over all Runs of a Workspace, newest first. */
export interface RecordsPage extends Owner {
  readonly projectedSequence: number;
  /** The Journal's identity; null before its first message. */
  readonly journal: string | null;
  /** The newest number that the Workspace has given. */
  readonly lastSequence: number;
  readonly items: readonly GovernanceRecord[];
  /** Continue below this workspaceSequence; null on the last page. */
  readonly nextBefore: number | null;
}

export async function listRecords(reader: ReadModelReader, query: RecordsQuery): Promise<RecordsPage> {
  const { scope, filter, before, limit, withArguments } = query;
  const { projectedSequence, journal, rows } = await reader.read<Partial<StoredRecord> & WorkspaceColumns>((t, to) => {
    const below = before === undefined ? [] : [`rec.workspace_sequence < ${to.add(before)}`];
    return {
      with: [
        ownerOf(scope, t, to),
        `page AS (SELECT rec.* FROM ${t.record} AS rec
          WHERE ${[ofWorkspace('rec'), ...below, ...recordConditions(filter, t, to)].join(' AND ')}
          ORDER BY rec.workspace_sequence DESC LIMIT ${to.add(limit + 1)})`,
      ],
      columns: `${workspaceColumns}, ${recordColumns(withArguments)}`,
      joins: `LEFT JOIN owner ON true ${recordJoins(t, withArguments)}`,
      orderBy: 'page.workspace_sequence DESC',
    };
  });
  const found = recordsIn(rows);
  const items = found.slice(0, limit);
  return {
    projectedSequence,
    journal,
    lastSequence: Number(rows[0]?.last_sequence ?? 0),
    ...toOwner(rows),
    items,
    nextBefore: found.length > limit ? items.at(-1)!.workspaceSequence : null,
  };
}
