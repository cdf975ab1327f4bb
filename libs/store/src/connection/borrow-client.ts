import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { ready, unreachable } from './ready.ts';
import { toStoreError } from './store-failure.ts';
import { StoreUnavailable } from './store-unavailable.ts';

/**
 * Lends a connection of the pool to `work`. One that broke is not given back.
 *
 * @throws StoreUnavailable, StoreFailure
 */
export async function borrowClient<T>(dataSource: DataSource, work: (client: PoolClient) => Promise<T>): Promise<T> {
  await ready(dataSource);
  const client = await connect(dataSource);
  const ignore = (): undefined => undefined;
  // Without a listener the death of a borrowed connection would end the process; the query itself reports it.
  client.on('error', ignore);
  let failure: unknown;
  try {
    return await work(client);
  } catch (error) {
    failure = toStoreError(error);
    throw failure;
  } finally {
    client.removeListener('error', ignore);
    client.release(failure instanceof StoreUnavailable);
  }
}

async function connect(dataSource: DataSource): Promise<PoolClient> {
  try {
    return await (dataSource.driver as unknown as { readonly master: Pool }).master.connect();
  } catch (error) {
    throw unreachable(error);
  }
}
