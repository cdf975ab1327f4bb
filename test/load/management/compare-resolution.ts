import { PostgresAttemptStore, closeDataSource, createDataSource } from '@agentstration/store';
import pg from 'pg';
import type { BenchServers } from './bench-servers.ts';
import { type CompareOptions, type Comparison, compare } from './compare.ts';
import { hooks, matching, nameOf, scope, toolId } from './seed.ts';

/** What an attempt is governed by, against the cheapest question there is: one row by its primary key. */
export async function compareResolution(
  { databaseUrl }: BenchServers,
  options: CompareOptions,
  only: readonly string[] = ['resolution'],
): Promise<Record<string, Comparison>> {
  if (!only.includes('resolution')) return {};
  const database = createDataSource({ url: databaseUrl, role: 'executor', poolSize: 10 });
  const store = new PostgresAttemptStore(database);
  const resolve = async (call: number): Promise<void> => {
    const found = await store.resolve({ ...scope, toolId, agentId: 'support-agent', ownerKind: 'RuntimeRun', runId: `run-${call}` });
    if (found.hooks.length !== matching) throw new Error(`${found.hooks.length} hooks instead of ${matching}`);
  };
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  const text = `SELECT generation, definition FROM agentstration.resources
    WHERE tenant_id = $1 AND workspace_id = $2 AND kind = 'ToolExecutionHook' AND namespace = 'default' AND name = $3`;
  const select = (call: number) =>
    pool.query({ name: 'by-key', text, values: [scope.tenantId, scope.workspaceId, nameOf((call * 7919) % hooks)] });
  const resolution = await compare(resolve, select, options);
  await Promise.all([closeDataSource(database), pool.end()]);
  return { resolution };
}
