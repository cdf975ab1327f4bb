import type { Scope } from '@agentstration/contracts';
import type { DataSource, EntityManager } from 'typeorm';

/**
 * Runs `work` in one transaction that sees and writes only this Workspace: row level security holds whatever the
 * queries forget. Use the manager that is handed in; any other runs without the scope and sees nothing.
 *
 * @throws StoreUnavailable
 */
export function inScope<T>(_dataSource: DataSource, _scope: Scope, _work: (manager: EntityManager) => Promise<T>): Promise<T> {
  return Promise.reject(new Error('not built yet'));
}

/** Ends the pool; nothing to do when it never connected. */
export async function closeDataSource(dataSource: DataSource): Promise<void> {
  if (dataSource.isInitialized) await dataSource.destroy();
}
