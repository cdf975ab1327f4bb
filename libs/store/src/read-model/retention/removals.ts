import type { Scope } from '@agentstration/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { lockCheckpoint } from '../project/checkpoint.ts';
import { tablesOf } from '../tables/generation-tables.ts';
import { execute, transact } from '../transact.ts';
import { type Removal, type Removed, trimWorkspace } from './trim-workspace.ts';

/**
 * A removal is part of what a generation is made of: it happened at a position of the Journal, and every other generation
 * does the same at the same position. So a rebuild, late facts included, comes to the same rows.
 */
export interface RecordedRemoval extends Removal {
  readonly id: number;
  readonly journalSequence: number;
}

interface StoredRemoval {
  readonly removal: string;
  readonly tenant_id: string;
  readonly workspace_id: string;
  readonly journal_sequence: string;
  readonly through: string;
}

/** The removals that a generation has not made yet, in their order. */
export async function pendingRemovals(dataSource: DataSource, generation: number): Promise<RecordedRemoval[]> {
  const rows = await execute<StoredRemoval[]>(
    dataSource,
    `SELECT r.* FROM read_model.removal AS r JOIN read_model.generation AS g ON g.generation = $1 AND r.removal > g.last_removal ORDER BY r.removal`,
    [generation],
  );
  return rows.map((row) => ({
    id: Number(row.removal),
    tenantId: row.tenant_id,
    workspaceId: row.workspace_id,
    journalSequence: Number(row.journal_sequence),
    through: Number(row.through),
  }));
}

/** Makes a recorded removal in a generation that has come to its position. */
export const repeatRemoval = (
  dataSource: DataSource,
  { generation, owner }: { readonly generation: number; readonly owner: string },
  removal: RecordedRemoval,
): Promise<void> =>
  transact(dataSource, async (manager) => {
    const { lastRemoval } = await lockCheckpoint(manager, { generation, owner });
    if (lastRemoval >= removal.id) return;
    await trimWorkspace(manager, tablesOf(generation), removal);
    await manager.query('UPDATE read_model.generation SET last_removal = $2 WHERE generation = $1', [generation, removal.id]);
  });

export interface Retention extends Scope {
  /** Messages stored before, in milliseconds since 1970, are removed. */
  readonly before: number;
}

/** As many messages as one transaction removes. */
const chunk = 10_000;

/** Removes the oldest messages of a Workspace from the active generation, up to a bound, and records that. Undefined when there are none. */
export const removeOldest = (dataSource: DataSource, retention: Retention): Promise<(Removal & Removed) | undefined> =>
  transact(dataSource, async (manager) => {
    const [active] = await manager.query<{ generation: number; sequence: string }[]>(
      `SELECT g.generation, g.sequence FROM read_model.active AS a JOIN read_model.generation AS g USING (generation) FOR NO KEY UPDATE OF g`,
    );
    if (!active) return undefined;
    const through = await oldestThrough(manager, active.generation, retention);
    if (through === undefined) return undefined;
    const { tenantId, workspaceId } = retention;
    const removal = { tenantId, workspaceId, through };
    const removed = await trimWorkspace(manager, tablesOf(active.generation), removal);
    const [made] = await manager.query<[{ removal: string }]>(
      `INSERT INTO read_model.removal (tenant_id, workspace_id, journal_sequence, through, messages, records, attempts)
       VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING removal`,
      [tenantId, workspaceId, active.sequence, through, removed.messages, removed.records, removed.attempts],
    );
    await manager.query('UPDATE read_model.generation SET last_removal = $2 WHERE generation = $1', [active.generation, made.removal]);
    return { ...removal, ...removed };
  });

/** The end of the oldest messages that are all old enough; a clock that went back keeps what follows. */
async function oldestThrough(
  manager: EntityManager,
  generation: number,
  { tenantId, workspaceId, before }: Retention,
): Promise<number | undefined> {
  const t = tablesOf(generation);
  const [row] = await manager.query<{ oldest: string | null; through: string | null }[]>(
    `SELECT min(workspace_sequence) AS oldest,
       coalesce(min(workspace_sequence) FILTER (WHERE stored_at >= $3) - 1, max(workspace_sequence)) AS through
     FROM (SELECT m.workspace_sequence, m.stored_at FROM ${t.message} AS m
       JOIN ${t.workspace} AS w ON w.tenant_id = $1 AND w.workspace_id = $2
         AND m.workspace_key = w.workspace_key AND m.workspace_sequence > w.removed_through
       ORDER BY m.workspace_sequence LIMIT ${chunk}) AS m`,
    [tenantId, workspaceId, before],
  );
  if (!row || row.oldest === null || row.through === null) return undefined;
  return Number(row.through) >= Number(row.oldest) ? Number(row.through) : undefined;
}

/** The Workspaces that the active generation knows. */
export async function listWorkspaces(dataSource: DataSource): Promise<Scope[]> {
  const [active] = await execute<{ generation: number }[]>(dataSource, 'SELECT generation FROM read_model.active');
  if (!active) return [];
  const rows = await execute<{ tenant_id: string; workspace_id: string }[]>(
    dataSource,
    `SELECT tenant_id, workspace_id FROM ${tablesOf(active.generation).workspace} ORDER BY workspace_key`,
  );
  return rows.map(({ tenant_id, workspace_id }) => ({ tenantId: tenant_id, workspaceId: workspace_id }));
}
