import type { Scope } from '@agentstration/contracts';
import type { PoolClient } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { ready, unreachable } from './ready.ts';
import { scopeSettings, setScope } from './scope.ts';
import { toStoreError } from './store-failure.ts';
import { StoreUnavailable } from './store-unavailable.ts';

/**
 * Runs `work` in one transaction that sees and writes only this Workspace: row level security holds whatever the
 * queries forget. Use the manager that is handed in; any other runs without the scope and sees nothing.
 *
 * @throws StoreUnavailable; nothing is known about the transaction then. What `work` throws passes, after a rollback.
 */
export async function inScope<T>(dataSource: DataSource, scope: Scope, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  const settings = scopeSettings(scope);
  await ready(dataSource);
  const runner = dataSource.createQueryRunner();
  try {
    const client = await connect(runner);
    return await inTransaction(runner, client, async () => {
      await runner.query(`SELECT ${setScope}`, settings);
      return work(runner.manager);
    });
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await runner.release();
  }
}

async function connect(runner: QueryRunner): Promise<PoolClient> {
  try {
    return (await runner.connect()) as PoolClient;
  } catch (error) {
    throw unreachable(error);
  }
}

async function inTransaction<T>(runner: QueryRunner, client: PoolClient, work: () => Promise<T>): Promise<T> {
  try {
    await runner.startTransaction();
    const result = await work();
    await runner.commitTransaction();
    return result;
  } catch (error) {
    await abandon(runner, client, error);
    throw error;
  }
}

/** Nothing of a failed transaction may reach the next borrower of its connection. */
async function abandon(runner: QueryRunner, client: PoolClient, error: unknown): Promise<void> {
  const broken = toStoreError(error) instanceof StoreUnavailable;
  try {
    if (!broken) return await runner.rollbackTransaction();
  } catch {
    // A rollback that fails leaves the same as a broken connection.
  }
  endClient(client);
}

/** The pool drops an ended client when it is released. */
const endClient = (client: PoolClient): void => void (client as unknown as { end(): Promise<void> }).end().catch(() => undefined);
