import { describe, expect, it } from '@jest/globals';
import type { Scope } from '@agentstration/contracts';
import type { AttemptQuery } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import type { DataSource } from 'typeorm';
import { content, hookDefinition, newScope, providerDefinition, resourceKey } from '../contract-suite/samples.ts';
import { useDatabase } from '../contract-suite/use-database.ts';
import { inScope } from '../connection/in-scope.ts';
import { applyDiscovery } from '../discovery/apply-discovery.ts';
import { PostgresResourceStore } from '../resources/postgres-resource-store.ts';
import { PostgresAttemptStore } from './postgres-attempt-store.ts';
import { resolutionStatement } from './resolution-statement.ts';

const database = useDatabase();

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}
const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];
const literal = (value: unknown): string =>
  Array.isArray(value) ? `ARRAY[${value.map(literal).join(', ')}]::text[]` : `'${String(value).replaceAll("'", "''")}'`;

/** Every table that the resolution reads, as the plan of this very connection does it, with the rows that it looked at. */
async function lookedAt(dataSource: DataSource, query: AttemptQuery): Promise<{ node: string; table: string; rows: number }[]> {
  const values = resolutionStatement(query, [query]).values.map(literal).join(', ');
  const [answer] = await inScope(dataSource, query, (manager) =>
    manager.query<[{ 'QUERY PLAN': [{ Plan: Plan }] }]>(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE resolve_attempts(${values})`),
  );
  return flatten(answer['QUERY PLAN'][0].Plan).flatMap((plan) => {
    const rows = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
    return plan['Relation Name'] ? [{ node: plan['Node Type'], table: plan['Relation Name'], rows }] : [];
  });
}

/** 5 of them match the Tool `p.tool-1`; the rest are of every form. */
async function fill(scope: Scope): Promise<void> {
  await database.asSuperuser(
    `INSERT INTO agentstration.resources (tenant_id, workspace_id, kind, namespace, name, labels, annotations, definition, status, changed_by)
     SELECT $1, $2, 'ToolExecutionHook', 'default', 'hook-' || number, '{}', '{}', jsonb_set($3::jsonb, '{selector}', CASE
       WHEN number <= 5 THEN '{"tools": ["p.tool-1", "p.tool-2"]}'
       WHEN number % 3 = 0 THEN jsonb_build_object('providers', jsonb_build_array('p' || number))
       WHEN number % 3 = 1 THEN jsonb_build_object('tools', jsonb_build_array('p.tool-1'), 'agents', jsonb_build_array('agent-' || number))
       ELSE jsonb_build_object('agents', jsonb_build_array('agent-' || number)) END)::json, '{}', 'seed'
     FROM generate_series(1, 10000) number`,
    [scope.tenantId, scope.workspaceId, JSON.stringify(hookDefinition())],
  );
  await database.asSuperuser(
    `INSERT INTO agentstration.runs (tenant_id, workspace_id, owner_kind, run_id, principal_id, tool_calls)
     SELECT $1, $2, 'RuntimeRun', 'run-' || number, 'me', '[]' FROM generate_series(1, 10000) number`,
    Object.values(scope),
  );
}

describe('a resolution among 10 000 hooks', () => {
  it(
    verifies('STORE-033', 'looks at what it answers, by a plan of an empty table, without statistics and with them'),
    async () => {
      const scope = newScope();
      const executor = database.connect('executor', { poolSize: 1 });
      const attempts = new PostgresAttemptStore(executor);
      const query = { ...scope, ownerKind: 'RuntimeRun', runId: 'run-77', toolId: 'p.tool-1', agentId: 'agent' } as const;
      const api = database.connect('api');
      await database.asSuperuser('ALTER TABLE agentstration.resources SET (autovacuum_enabled = off)');
      // The plan is made now, and kept by this connection.
      for (let turn = 0; turn < 10; turn += 1) await attempts.resolve(query);
      const key = resourceKey(scope, 'ToolProvider', 'p');
      const { resource } = await new PostgresResourceStore(api).create(key, content(providerDefinition), 'me');
      const tools = Array.from({ length: 50 }, (_, index) => ({ externalName: `tool-${index}` }));
      await applyDiscovery(api, { scope, provider: { namespace: 'default', name: 'p', uid: resource.uid }, tools, by: 'me' });
      await fill(scope);
      const fresh = database.connect('executor', { poolSize: 1 });
      await new PostgresAttemptStore(fresh).resolve(query);
      for (const [state, dataSource] of [['planned while empty', executor] as const, ['without statistics', fresh] as const]) {
        expect((await attempts.resolve(query)).hooks).toHaveLength(5);
        await expectFewRows(state, dataSource, query);
      }
      await database.asSuperuser('ANALYZE');
      for (const dataSource of [executor, fresh]) {
        await new PostgresAttemptStore(dataSource).resolve(query);
        await expectFewRows('with statistics', dataSource, query);
      }
    },
    120_000,
  );
});

async function expectFewRows(state: string, dataSource: DataSource, query: AttemptQuery): Promise<void> {
  const scans = await lookedAt(dataSource, query);
  const odd = scans.filter(({ node, rows }) => !/^(Index|Index Only|Bitmap Heap) Scan$/.test(node) || rows > 5);
  expect([state, odd]).toEqual([state, []]);
  expect(scans.map(({ table }) => table).sort()).toEqual(['hook_anchors', 'resources', 'resources', 'resources', 'runs']);
}
