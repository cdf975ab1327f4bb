import 'reflect-metadata';
import { DataSource, type QueryRunner } from 'typeorm';
import { unreachable } from '../connection/ready.ts';
import { databaseRole, storeRoles } from '../connection/roles.ts';
import { toStoreError } from '../connection/store-failure.ts';
import { migrations } from '../migrations/index.ts';
import { MigrationFailed } from './migration-failed.ts';
import { provisionRoles } from './provision-roles.ts';

/** Any number will do, as long as every version of the product takes the same. */
const migrationLock = 7_274_496_021;

/**
 * Brings a database to the newest schema: forward only, safe when several services start at once, a no-op when done.
 * `url` is of the owner of the schema, which no service uses otherwise. Answers the names of the migrations it ran.
 *
 * @throws StoreUnavailable when the database cannot be reached; MigrationFailed with what to do otherwise
 */
export async function migrate(url: string): Promise<readonly string[]> {
  const owner = new DataSource({
    type: 'postgres',
    url,
    schema: 'agentstration',
    applicationName: 'agentstration-migrate',
    poolSize: 2,
    connectTimeoutMS: 10_000,
    installExtensions: false,
    logging: false,
    migrations,
    migrationsTableName: 'migrations',
    poolErrorHandler: () => undefined,
  });
  await owner.initialize().catch((error: unknown) => {
    throw unreachable(error).at(url);
  });
  try {
    return await underLock(owner, (runner) => migrateSchema(owner, runner));
  } catch (error) {
    throw MigrationFailed.from(error) ?? toStoreError(error);
  } finally {
    await owner.destroy();
  }
}

/** The lock lives as long as its session: a migrating process that dies frees it. */
async function underLock<T>(owner: DataSource, work: (runner: QueryRunner) => Promise<T>): Promise<T> {
  const runner = owner.createQueryRunner();
  try {
    await runner.query('SELECT pg_advisory_lock($1)', [migrationLock]);
    const result = await work(runner);
    await runner.query('SELECT pg_advisory_unlock($1)', [migrationLock]);
    return result;
  } finally {
    await runner.release();
  }
}

async function migrateSchema(owner: DataSource, runner: QueryRunner): Promise<readonly string[]> {
  await requireUtf8(runner);
  await provisionRoles(runner);
  await runner.query('CREATE SCHEMA IF NOT EXISTS agentstration');
  await runner.query(`GRANT USAGE ON SCHEMA agentstration TO ${storeRoles.map(databaseRole).join(', ')}`);
  const ran = await owner.runMigrations({ transaction: 'each' });
  return ran.map((migration) => migration.name);
}

async function requireUtf8(runner: QueryRunner): Promise<void> {
  const [row] = (await runner.query('SHOW server_encoding')) as { server_encoding: string }[];
  if (row?.server_encoding !== 'UTF8') {
    throw new MigrationFailed(
      `The database is encoded in ${row?.server_encoding ?? 'nothing'}, it must be UTF8: create it with ENCODING 'UTF8'`,
    );
  }
}
