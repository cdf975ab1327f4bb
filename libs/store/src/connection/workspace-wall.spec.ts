import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Scope } from '@agentstration/contracts';
import { verifies } from '@agentstration/test/verifies';
import type { DataSource } from 'typeorm';
import pg from 'pg';
import { content, hookDefinition, newScope, providerDefinition, resourceKey } from '../contract-suite/samples.ts';
import { useDatabase } from '../contract-suite/use-database.ts';
import { applyDiscovery } from '../discovery/apply-discovery.ts';
import { migrate } from '../migrate/migrate.ts';
import { PostgresResourceStore } from '../resources/postgres-resource-store.ts';
import { PostgresRunStore } from '../runs/postgres-run-store.ts';
import { inScope } from './in-scope.ts';
import { queryInScope } from './query-in-scope.ts';
import type { StoreRole } from './roles.ts';
import { everyWorkspace } from './scope.ts';
import { StoreFailure } from './store-failure.ts';

const database = useDatabase();
const ours = newScope();
const theirs = newScope();
const tables = ['resources', 'resource_generations', 'hook_anchors', 'runs', 'outbox'];
let services: Record<StoreRole, DataSource>;

async function fill(dataSource: DataSource, scope: Scope): Promise<void> {
  const store = new PostgresResourceStore(dataSource);
  await store.create(resourceKey(scope, 'ToolExecutionHook', 'guard'), content(hookDefinition()), 'me');
  const provider = await store.create(resourceKey(scope, 'ToolProvider', 'p'), content(providerDefinition), 'me');
  const { uid } = provider.kind === 'created' ? provider.resource : { uid: '' };
  await applyDiscovery(dataSource, {
    scope,
    provider: { namespace: 'default', name: 'p', uid },
    tools: [{ externalName: 'echo' }],
    by: 'me',
  });
  const run = { ...scope, ownerKind: 'RuntimeRun', runId: 'run', agentId: null, principalId: 'me', persistToolArguments: null } as const;
  const message = { ...scope, messageId: 'm', kind: 'fact', subject: 's', payload: '{}' } as const;
  await new PostgresRunStore(dataSource).create({ ...run, retryOf: null, toolCalls: [] }, [message]);
}

beforeAll(async () => {
  services = {
    api: database.connect('api', { poolSize: 1 }),
    executor: database.connect('executor', { poolSize: 1 }),
    projector: database.connect('projector', { poolSize: 1 }),
    reader: database.connect('reader', { poolSize: 1 }),
  };
  await fill(services.api, ours);
  await fill(services.api, theirs);
});

/** A query of somebody who forgot the WHERE. */
const everything = (table: string) => `SELECT tenant_id, workspace_id FROM agentstration.${table}`;
const readable: Record<StoreRole, string[]> = {
  ...{ api: tables, executor: ['resources', 'hook_anchors', 'runs'], projector: ['runs'] },
  // Its tables are those of the read model, whose wall has a spec of its own.
  reader: [],
};
const roles = Object.keys(readable) as StoreRole[];

describe('the wall around a workspace', () => {
  it(verifies('STORE-003', 'stands around every table of the schema that belongs to workspaces'), async () => {
    const found = await database.asSuperuser<{ name: string; walled: boolean }>(
      `SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS walled FROM pg_class c
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'workspace_id'
       WHERE c.relnamespace = 'agentstration'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`,
    );
    expect(found).toEqual([...tables].sort().map((name) => ({ name, walled: true })));
  });

  it.each(roles)(verifies('STORE-003', 'holds for %s where a query leaves out the workspace'), async (role) => {
    for (const table of readable[role]) {
      const rows = await inScope(services[role], ours, (manager) => manager.query<Scope[]>(everything(table)));
      expect([table, rows.length > 0, rows.every((row) => JSON.stringify(row).includes(ours.workspaceId))]).toEqual([table, true, true]);
      const again = await queryInScope<Scope>(services[role], ours, { name: `all_${table}`, text: everything(table), values: [] });
      expect(again).toEqual(rows);
    }
  });

  it.each(roles)(
    verifies(['STORE-003', 'STORE-006'], 'shows %s nothing without a workspace, on a connection that had one'),
    async (role) => {
      for (const table of readable[role]) {
        expect(await inScope(services[role], ours, (manager) => manager.query<unknown[]>(everything(table)))).not.toHaveLength(0);
        await expect(inScope(services[role], ours, () => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
        expect([table, await services[role].query(everything(table))]).toEqual([table, []]);
      }
    },
  );

  it(verifies('STORE-004', 'lets nothing be written into another workspace, nor moved there'), async () => {
    const insert = `INSERT INTO agentstration.runs (tenant_id, workspace_id, owner_kind, run_id, principal_id, tool_calls)
      VALUES ($1, $2, 'FlowRun', 'smuggled', 'me', '[]')`;
    const smuggle = inScope(services.api, ours, (manager) => manager.query(insert, [theirs.tenantId, theirs.workspaceId]));
    await expect(smuggle).rejects.toThrow(new StoreFailure('42501'));
    const touched = await inScope(services.api, ours, (manager) =>
      manager.query<[unknown[], number]>(`UPDATE agentstration.resources SET labels = '{"x":"y"}' RETURNING workspace_id`),
    );
    expect(touched[0]).toEqual(Array.from({ length: 3 }, () => ({ workspace_id: ours.workspaceId })));
  });

  it(verifies('STORE-005', 'leaves each service no more than it needs'), async () => {
    const refused: [StoreRole, string][] = [
      ['executor', `UPDATE agentstration.resources SET labels = '{}'`],
      ['executor', 'DELETE FROM agentstration.hook_anchors'],
      ['executor', 'SELECT * FROM agentstration.outbox'],
      ['executor', 'SELECT * FROM agentstration.resource_generations'],
      ['projector', 'SELECT * FROM agentstration.resources'],
      ['projector', `UPDATE agentstration.runs SET cancelled_at = now()`],
      ['api', 'DELETE FROM agentstration.resources'],
      ['api', `UPDATE agentstration.resource_generations SET definition = '{}'`],
      ['api', `UPDATE agentstration.runs SET persist_tool_arguments = true`],
      ['api', 'DELETE FROM agentstration.runs'],
      ['api', 'CREATE TABLE agentstration.mine ()'],
      ['api', 'ALTER TABLE agentstration.runs DISABLE ROW LEVEL SECURITY'],
      ['api', 'SELECT * FROM agentstration.migrations'],
      ['api', 'SELECT * FROM pg_authid'],
    ];
    for (const [role, statement] of refused) {
      const attempt = inScope(services[role], ours, (manager) => manager.query(statement));
      expect([statement, await attempt.catch((error: unknown) => error)]).toEqual([statement, new StoreFailure('42501')]);
    }
  });

  it(verifies('STORE-003', 'opens to nobody who says every workspace'), async () => {
    const posing = { tenantId: '*', workspaceId: '*' };
    await expect(inScope(services.api, posing, () => Promise.resolve())).rejects.toThrow(TypeError);
    await expect(queryInScope(services.api, posing, { name: 'x', text: 'SELECT 1', values: [] })).rejects.toThrow(TypeError);
    for (const table of tables.filter((name) => name !== 'outbox')) {
      expect([table, await inScope(services.api, everyWorkspace, (manager) => manager.query(everything(table)))]).toEqual([table, []]);
    }
    expect(await inScope(services.api, everyWorkspace, (manager) => manager.query(everything('outbox')))).toHaveLength(2);
  });

  it(verifies('STORE-004', 'holds the owner of the tables, too'), async () => {
    await database.asSuperuser(`CREATE ROLE schema_owner LOGIN PASSWORD 'secret' CREATEROLE`);
    await database.asSuperuser('CREATE DATABASE owned OWNER schema_owner');
    const url = Object.assign(new URL(database.url), { username: 'schema_owner', password: 'secret', pathname: '/owned' }).href;
    await migrate(url);
    await fill(database.connect('api', { url: url.replace(/\/\/[^@]*@/, database.url.match(/\/\/[^@]*@/)![0]) }), ours);
    const owner = new pg.Client({ connectionString: url });
    await owner.connect();
    try {
      for (const table of tables) expect([table, (await owner.query(everything(table))).rows]).toEqual([table, []]);
      const insert = `INSERT INTO agentstration.runs (tenant_id, workspace_id, owner_kind, run_id, principal_id, tool_calls)
        VALUES ('t', 'w', 'FlowRun', 'r', 'me', '[]')`;
      await expect(owner.query(insert)).rejects.toThrow('row-level security');
    } finally {
      await owner.end();
    }
  });
});
