import type { DataSource, EntityManager } from 'typeorm';
import { ready } from '../connection/ready.ts';
import { toStoreError } from '../connection/store-failure.ts';

/**
 * One transaction of the projector, which sees every Workspace: the read model has no row level security, and each query
 * of a reader names the Workspace of its caller itself.
 *
 * @throws StoreUnavailable; nothing is known about the transaction then. What `work` throws passes, after a rollback.
 */
export async function transact<T>(dataSource: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> {
  await ready(dataSource);
  try {
    return await dataSource.transaction(work);
  } catch (error) {
    throw toStoreError(error);
  }
}

/** One statement as a transaction of its own. @throws StoreUnavailable */
export async function execute<Row>(dataSource: DataSource, text: string, values: readonly unknown[] = []): Promise<Row> {
  await ready(dataSource);
  try {
    return await dataSource.query<Row>(text, [...values]);
  } catch (error) {
    throw toStoreError(error);
  }
}
