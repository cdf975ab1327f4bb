import type { Scope } from '@agentstration/contracts';
import { type WorkspaceColumns, ofWorkspace, ownerOf, toOwner, workspaceColumns } from './owner.ts';
import type { ReadModelReader } from './read-model-reader.ts';
import { type RecordFilter, isEverything, recordConditions } from './record-filter.ts';
import { atMost, recordItem } from './record-rows.ts';

export interface ChangesQuery {
  readonly scope: Scope;
  readonly filter: RecordFilter;
  /** The workspaceSequence of the newest change that is known. */
  readonly after: number;
  readonly limit: number;
  readonly withArguments: boolean;
}

/** A record that a message opened or ended, as it was after that message. */
export interface RecordChange {
  /** The message's workspaceSequence. */
  readonly change: number;
  /** JSON text. */
  readonly record: string;
}

export interface Changes {
  readonly projectedSequence: number;
  readonly items: readonly RecordChange[];
  /** Everything up to here was looked at. */
  readonly through: number;
  readonly removedThrough: number;
}

interface StoredChange extends WorkspaceColumns {
  readonly change: string | null;
  readonly record: string;
}

/** New records and changed outcomes of a Workspace, in the order in which they happened. */
export async function listChanges(reader: ReadModelReader, query: ChangesQuery): Promise<Changes> {
  const { scope, filter, after, limit, withArguments } = query;
  const { projectedSequence, rows } = await reader.read<StoredChange>(scope, (t, to) => ({
    prepared: isEverything(filter),
    with: [
      ownerOf(scope, t, to),
      `page AS (SELECT rec.*, m.workspace_sequence AS change,
          CASE WHEN rec.outcome_sequence <= m.workspace_sequence THEN rec.outcome END AS outcome_then
        FROM ${t.message} AS m JOIN ${t.record} AS rec
          ON rec.workspace_key = m.workspace_key AND rec.workspace_sequence = m.record_sequence
        WHERE ${[ofWorkspace('m'), `m.workspace_sequence > ${to.add(after)}`, ...recordConditions(filter, t, to)].join(' AND ')}
        ORDER BY m.workspace_sequence LIMIT ${atMost(limit)})`,
    ],
    columns: `${workspaceColumns}, page.change, ${recordItem(withArguments, 'page.outcome_then')} AS record`,
    joins: 'LEFT JOIN owner ON true LEFT JOIN page ON true',
    orderBy: 'page.change',
  }));
  const items = rows.filter(({ change }) => change !== null).map(({ change, record }) => ({ change: Number(change), record }));
  const looked = Number(rows[0]?.last_sequence ?? 0);
  const through = items.length === limit ? items.at(-1)!.change : Math.max(after, looked);
  return { projectedSequence, items, through, removedThrough: toOwner(rows).removedThrough };
}
