import type { DataSource } from 'typeorm';
import { StoreFailure, toStoreError } from './store-failure.ts';
import { StoreUnavailable } from './store-unavailable.ts';

const connecting = new WeakMap<DataSource, Promise<unknown>>();

/** Connects on first use, once for all that wait; the next use tries again after a failure. */
export async function ready(dataSource: DataSource): Promise<void> {
  if (dataSource.isInitialized) return;
  const pending = connecting.get(dataSource) ?? connect(dataSource);
  await pending;
}

function connect(dataSource: DataSource): Promise<unknown> {
  const attempt = dataSource
    .initialize()
    .catch((error: unknown) => {
      throw unreachable(error);
    })
    .finally(() => connecting.delete(dataSource));
  connecting.set(dataSource, attempt);
  return attempt;
}

/** Whatever keeps a connection from being made, the database cannot be used. */
export function unreachable(error: unknown): StoreUnavailable {
  const known = toStoreError(error);
  if (known instanceof StoreUnavailable) return known;
  if (known instanceof StoreFailure)
    return new StoreUnavailable(known.code, 'the role of the service is missing, or its user is not a member');
  return new StoreUnavailable('connect_failed', 'no connection could be made');
}

/** Ends the pool; nothing to do when it never connected. */
export async function closeDataSource(dataSource: DataSource): Promise<void> {
  await connecting.get(dataSource)?.catch(() => undefined);
  if (dataSource.isInitialized) await dataSource.destroy();
}
