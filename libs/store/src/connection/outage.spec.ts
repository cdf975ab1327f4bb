import { once } from 'node:events';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { content, hookDefinition, newScope, resourceKey } from '../contract-suite/samples.ts';
import { useDatabase } from '../contract-suite/use-database.ts';
import { PostgresResourceStore } from '../resources/postgres-resource-store.ts';
import { endWhenSilent } from './end-when-silent.ts';
import { inScope } from './in-scope.ts';
import { queryInScope } from './query-in-scope.ts';
import { StoreFailure } from './store-failure.ts';
import { StoreUnavailable } from './store-unavailable.ts';

const database = useDatabase();
const scope = newScope();

const poolOf = (dataSource: DataSource): Pool => (dataSource.driver as unknown as { master: Pool }).master;
const select = (text: string) => ({ name: '', text, values: [] });
const works = (dataSource: DataSource): Promise<unknown[]> => queryInScope(dataSource, scope, select('SELECT 1 AS one'));

/** Every connection is in the pool again, and none is waited for. */
async function expectIdle(dataSource: DataSource): Promise<void> {
  const pool = poolOf(dataSource);
  await eventually(() => expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0]), { within: 5_000 });
}

async function kill(pid: number): Promise<void> {
  await database.asSuperuser('SELECT pg_terminate_backend($1, 5000)', [pid]);
}

describe('a backend that is killed', () => {
  it(verifies('STORE-051', 'at any await of a transaction costs nothing but that transaction'), async () => {
    const dataSource = database.connect('api', { poolSize: 2 });
    for (const step of ['before', 'between', 'after'] as const) {
      const attempt = inScope(dataSource, scope, async (manager) => {
        const [{ pid }] = await manager.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
        if (step === 'before') await kill(pid);
        await manager.query(`UPDATE agentstration.resources SET labels = '{}'`);
        if (step === 'between') await kill(pid);
        if (step !== 'after') await manager.query('SELECT 1');
        else await kill(pid);
      });
      expect([step, await attempt.catch((error: unknown) => error)]).toEqual([step, expect.any(StoreUnavailable)]);
      await expectIdle(dataSource);
      expect(await works(dataSource)).toEqual([{ one: 1 }]);
    }
  });

  it(verifies('STORE-051', 'in a query, or idle, costs nothing but that query'), async () => {
    const dataSource = database.connect('api', { poolSize: 1, applicationName: 'victim' });
    await works(dataSource);
    const slow = queryInScope(dataSource, scope, select('SELECT pg_sleep(20)'));
    slow.catch(() => undefined);
    const busy = `SELECT pid FROM pg_stat_activity WHERE application_name = 'victim' AND query LIKE '%pg_sleep%' AND state = 'active'`;
    let victim: { pid: number } | undefined;
    await eventually(async () => expect(([victim] = await database.asSuperuser<{ pid: number }>(busy))).toHaveLength(1), { within: 5_000 });
    await kill(victim!.pid);
    await expect(slow).rejects.toBeInstanceOf(StoreUnavailable);
    expect(await works(dataSource)).toEqual([{ one: 1 }]);
    const [idle] = await database.asSuperuser<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE application_name = 'victim'`);
    await kill(idle!.pid);
    await eventually(() => expect(poolOf(dataSource).totalCount).toBe(0), { within: 5_000 });
    expect(await works(dataSource)).toEqual([{ one: 1 }]);
    await expectIdle(dataSource);
  });

  it(verifies('STORE-050', 'that stands still is given up after the time limit'), async () => {
    const dataSource = database.connect('api', { poolSize: 1, applicationName: 'frozen', statementTimeoutMs: 300 });
    const [{ pid }] = (await queryInScope(dataSource, scope, select('SELECT pg_backend_pid() AS pid'))) as [{ pid: number }];
    process.kill(pid, 'SIGSTOP');
    try {
      await expect(works(dataSource)).rejects.toBeInstanceOf(StoreUnavailable);
      expect(await works(dataSource)).toEqual([{ one: 1 }]);
      const transaction = inScope(dataSource, scope, async (manager) => {
        const [{ pid: next }] = await manager.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
        process.kill(next, 'SIGSTOP');
        setTimeout(() => process.kill(next, 'SIGCONT'), 4_000);
        await manager.query('SELECT 1');
      });
      await expect(transaction).rejects.toBeInstanceOf(StoreUnavailable);
      await expectIdle(dataSource);
      expect(await works(dataSource)).toEqual([{ one: 1 }]);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });
});

it(verifies('STORE-051', 'a connection that is silent because nothing is asked is kept'), async () => {
  const dataSource = database.connect('api', { poolSize: 1 });
  await works(dataSource);
  const client = await poolOf(dataSource).connect();
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  endWhenSilent(client, 50);
  await once(stream, 'timeout');
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  client.release();
});

describe('a database that cannot serve', () => {
  it(verifies('STORE-050', 'because it is too slow, or has no connection left'), async () => {
    const dataSource = database.connect('api', { poolSize: 1, statementTimeoutMs: 200, connectTimeoutMs: 300 });
    await expect(queryInScope(dataSource, scope, select('SELECT pg_sleep(5)'))).rejects.toThrow(
      new StoreUnavailable('57014', 'it is too slow'),
    );
    const busy = database.connect('api', { poolSize: 1, connectTimeoutMs: 300 });
    await inScope(busy, scope, async () => {
      await expect(works(busy)).rejects.toBeInstanceOf(StoreUnavailable);
      await expect(inScope(busy, scope, () => Promise.resolve())).rejects.toBeInstanceOf(StoreUnavailable);
    });
    for (const healed of [dataSource, busy]) {
      expect(await works(healed)).toEqual([{ one: 1 }]);
      await expectIdle(healed);
    }
  });

  it(verifies('STORE-050', 'because its schema is not there yet'), async () => {
    const url = await database.server.createDatabase('empty');
    const store = new PostgresResourceStore(database.connect('api', { url }));
    await expect(store.get(resourceKey(scope, 'Tool', 'x'))).rejects.toThrow(
      new StoreUnavailable('42P01', 'its schema is missing: run the migrations'),
    );
  });

  it(verifies('STORE-052', 'or a statement that it refuses is told without statement, values or password'), async () => {
    const dataSource = database.connect('api', { poolSize: 1 });
    const insert = `INSERT INTO agentstration.runs (tenant_id, workspace_id, owner_kind, run_id, principal_id, tool_calls) VALUES
      ($1, $2, 'FlowRun', 'r', 'canary', '"canary"'), ($1, $2, 'FlowRun', 'r', 'canary', '"canary"')`;
    const values = Object.values(scope);
    const twice = await inScope(dataSource, scope, (manager) => manager.query<unknown>(insert, values)).catch((error: unknown) => error);
    expect(twice).toEqual(new StoreFailure('23505', 'runs_pkey'));
    const broken = await queryInScope(dataSource, scope, { name: '', text: `SELECT 'canary'::integer + $1`, values: ['canary'] }).catch(
      (error: unknown) => error,
    );
    const url = database.url.replace(/:[^:@]*@/, ':canary@');
    const denied = await works(database.connect('api', { url })).catch((error: unknown) => error);
    expect(denied).toEqual(new StoreUnavailable('28P01', 'it refuses the user or its password'));
    expect(inspect([twice, broken, denied], { depth: 10, showHidden: true })).not.toContain('canary');
    await expectIdle(dataSource);
  });

  it(
    verifies(['STORE-050', 'STORE-051'], 'because it restarts under load is unavailable meanwhile and heals by itself'),
    async () => {
      const dataSource = database.connect('api', { poolSize: 8 });
      const store = new PostgresResourceStore(dataSource);
      const key = resourceKey(scope, 'ToolExecutionHook', 'guard');
      await store.create(key, content(hookDefinition()), 'me');
      const errors: unknown[] = [];
      let stop = false;
      let served = 0;
      const workers = Array.from({ length: 16 }, async (_, worker) => {
        while (!stop) {
          const turn = worker % 2 === 0 ? store.get(key) : inScope(dataSource, scope, (manager) => manager.query('SELECT 1'));
          await turn.then(
            () => (served += 1),
            (error: unknown) => errors.push(error),
          );
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      });
      await eventually(() => expect(served).toBeGreaterThan(50), { within: 10_000 });
      await database.server.kill();
      await eventually(() => expect(errors.length).toBeGreaterThan(50), { within: 10_000 });
      const fresh = database.connect('api');
      await expect(works(fresh)).rejects.toBeInstanceOf(StoreUnavailable);
      await database.server.restart();
      served = 0;
      await eventually(() => expect(served).toBeGreaterThan(50), { within: 15_000 });
      stop = true;
      await Promise.all(workers);
      expect(errors.filter((error) => !(error instanceof StoreUnavailable))).toEqual([]);
      expect(await works(fresh)).toEqual([{ one: 1 }]);
      await expectIdle(dataSource);
    },
    60_000,
  );
});
