import { afterAll, beforeAll } from '@jest/globals';
import { type PostgresServer, startPostgres } from '@agentstration/local-servers';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { type StoreOptions, createDataSource } from '../connection/create-data-source.ts';
import { closeDataSource } from '../connection/ready.ts';
import type { StoreRole } from '../connection/roles.ts';
import { migrate } from '../migrate/migrate.ts';

/** A real database for a spec file, migrated, and thrown away afterwards. */
export interface TestDatabase {
  readonly server: PostgresServer;
  readonly url: string;
  /** A pool of that service; closed with the database. */
  connect(role: StoreRole, options?: Partial<StoreOptions>): DataSource;
  /** As the superuser, whom no policy holds. */
  asSuperuser<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** Registers the hooks that start and end it; use what it answers inside of tests and later hooks only. */
export function useDatabase({ migrated = true } = {}): TestDatabase {
  const open: DataSource[] = [];
  let server: PostgresServer;
  let superuser: pg.Client;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase('store');
    if (migrated) await migrate(url);
    superuser = new pg.Client({ connectionString: url });
    superuser.on('error', () => undefined);
    await superuser.connect();
  }, 120_000);
  afterAll(async () => {
    await superuser.end().catch(() => undefined);
    await Promise.all(open.map((dataSource) => closeDataSource(dataSource).catch(() => undefined)));
    await server.stop();
  }, 60_000);
  return {
    get server() {
      return server;
    },
    get url() {
      return url;
    },
    connect(role, options) {
      const dataSource = createDataSource({ url, role, ...options });
      open.push(dataSource);
      return dataSource;
    },
    asSuperuser: async <Row>(statement: string, values: readonly unknown[] = []) =>
      (await superuser.query(statement, [...values])).rows as Row[],
  };
}
