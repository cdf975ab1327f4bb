import type { Scope } from '@agentstration/contracts';
import type { EntityManager } from 'typeorm';
import type { TableNames } from '../tables/generation-tables.ts';

/** How many rows were removed. */
export interface Removed {
  readonly messages: number;
  readonly records: number;
  readonly attempts: number;
}

/** Everything of a Workspace up to a workspaceSequence. */
export interface Removal extends Scope {
  readonly through: number;
}

const outcomes = `ARRAY['Running', 'Succeeded', 'Failed', 'Denied', 'Cancelled', 'Unknown']`;

/**
 * Removes the oldest messages of a Workspace from a generation, with their records, and the Tool Calls that have nothing
 * newer. The counters of Workspace and Runs stay: numbers are never given twice.
 */
export async function trimWorkspace(manager: EntityManager, t: TableNames, { tenantId, workspaceId, through }: Removal): Promise<Removed> {
  const [rows] = await manager.query<[{ workspace_key: number }[], number]>(
    `UPDATE ${t.workspace} SET removed_through = $3 WHERE tenant_id = $1 AND workspace_id = $2 AND removed_through < $3 RETURNING workspace_key`,
    [tenantId, workspaceId, through],
  );
  const key = rows[0]?.workspace_key;
  if (key === undefined) return { messages: 0, records: 0, attempts: 0 };
  const place = [key, through];
  const upTo = 'workspace_key = $1 AND workspace_sequence <= $2';
  const [messages, count] = await manager.query<[{ run_key: string | null }[], number]>(
    `DELETE FROM ${t.message} WHERE ${upTo} RETURNING run_key`,
    place,
  );
  const [, records] = await manager.query<[unknown, number]>(`DELETE FROM ${t.record} WHERE ${upTo}`, place);
  await manager.query(`DELETE FROM ${t.record_outcome} WHERE ${upTo} AND outcome = ANY (${outcomes})`, place);
  await manager.query(`DELETE FROM ${t.evaluation} WHERE ${upTo}`, place);
  await manager.query(`DELETE FROM ${t.dead_letter} WHERE ${upTo}`, place);
  await manager.query(`DELETE FROM ${t.hour} WHERE workspace_key = $1 AND last_sequence <= $2`, place);
  const runs = [...new Set(messages.flatMap(({ run_key }) => (run_key === null ? [] : [run_key])))];
  return { messages: count, records, attempts: await trimAttempts(manager, t, { runs, through }) };
}

/** A Tool Call goes as a whole, when the newest fact of all its attempts has gone. */
async function trimAttempts(
  manager: EntityManager,
  t: TableNames,
  { runs, through }: { runs: readonly string[]; through: number },
): Promise<number> {
  const [, attempts] = await manager.query<[unknown, number]>(
    `DELETE FROM ${t.attempt} AS a USING (
       SELECT run_key, tool_call_id FROM ${t.attempt} WHERE run_key = ANY ($1::bigint[])
       GROUP BY run_key, tool_call_id HAVING max(last_workspace_sequence) <= $2) AS gone
     WHERE a.run_key = gone.run_key AND a.tool_call_id = gone.tool_call_id`,
    [runs, through],
  );
  return attempts;
}
