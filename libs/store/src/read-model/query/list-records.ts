import type { Scope } from '@agentstration/contracts';
import { type Owner, type WorkspaceColumns, ofWorkspace, ownerOf, toOwner, workspaceColumns } from './owner.ts';
import type { ReadModelReader } from './read-model-reader.ts';
import { type RecordFilter, recordConditions } from './record-filter.ts';
import { type Render, type StoredRecord, cutPage, pageOf, recordColumns } from './record-rows.ts';

export interface RecordsQuery {
  readonly scope: Scope;
  readonly filter: RecordFilter;
  /** Only records below this workspaceSequence. */
  readonly before?: number;
  readonly limit: number;
  readonly withArguments: boolean;
}

/** Records over all Runs of a Workspace, newest first. */
export interface RecordsPage<Item> extends Owner {
  readonly projectedSequence: number;
  /** The Journal's identity; null before its first message. */
  readonly journal: string | null;
  /** The newest number that the Workspace has given. */
  readonly lastSequence: number;
  readonly items: readonly Item[];
  /** Continue below this workspaceSequence; null on the last page. */
  readonly nextBefore: number | null;
}

export async function listRecords<Item>(reader: ReadModelReader, query: RecordsQuery, render: Render<Item>): Promise<RecordsPage<Item>> {
  const { scope, filter, before, limit, withArguments } = query;
  const { projectedSequence, journal, rows } = await reader.read<Partial<StoredRecord> & WorkspaceColumns>((t, to) => {
    const below = before === undefined ? [] : [`rec.workspace_sequence < ${to.add(before)}`];
    return {
      with: [
        ownerOf(scope, t, to),
        pageOf(
          `SELECT rec.* FROM ${t.record} AS rec
           WHERE ${[ofWorkspace('rec'), ...below, ...recordConditions(filter, t, to)].join(' AND ')}
           ORDER BY rec.workspace_sequence DESC LIMIT ${to.add(limit + 1)}`,
          { order: 'workspace_sequence DESC', withArguments },
        ),
      ],
      columns: `${workspaceColumns}, ${recordColumns(t, withArguments)}`,
      joins: 'LEFT JOIN owner ON true LEFT JOIN page ON true',
      orderBy: 'page.workspace_sequence DESC',
    };
  });
  const { shown, more } = cutPage(rows, limit);
  return {
    projectedSequence,
    journal,
    lastSequence: Number(rows[0]?.last_sequence ?? 0),
    ...toOwner(rows),
    items: shown.map(render),
    nextBefore: more ? Number(shown.at(-1)!.workspace_sequence) : null,
  };
}
