import type { Scope } from '@agentstration/contracts';
import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { ready, unreachable } from './ready.ts';
import { type Statement, runScoped } from './scoped-query.ts';
import { toStoreError } from './store-failure.ts';
import { StoreUnavailable } from './store-unavailable.ts';

/**
 * One statement in one Workspace, as a transaction of its own in one round trip: what `inScope` does in four.
 *
 * @throws StoreUnavailable; nothing is known about a write then
 */
export async function queryInScope<Row>(dataSource: DataSource, scope: Scope, statement: Statement): Promise<Row[]> {
  await ready(dataSource);
  const client = await borrow(dataSource);
  const ignore = (): undefined => undefined;
  // Without a listener the death of a borrowed connection would end the process; the query itself reports it.
  client.on('error', ignore);
  let failure: unknown;
  try {
    return (await runScoped(client, scope, statement)) as Row[];
  } catch (error) {
    failure = toStoreError(error);
    throw failure;
  } finally {
    client.removeListener('error', ignore);
    client.release(failure instanceof StoreUnavailable);
  }
}

async function borrow(dataSource: DataSource): Promise<PoolClient> {
  try {
    return await (dataSource.driver as unknown as { readonly master: Pool }).master.connect();
  } catch (error) {
    throw unreachable(error);
  }
}
