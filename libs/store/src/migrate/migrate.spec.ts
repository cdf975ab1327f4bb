import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { useDatabase } from '../contract-suite/use-database.ts';
import { content, hookDefinition, newScope, resourceKey } from '../contract-suite/samples.ts';
import { closeDataSource } from '../connection/ready.ts';
import { createDataSource } from '../connection/create-data-source.ts';
import { databaseRole, storeRoles } from '../connection/roles.ts';
import { StoreUnavailable } from '../connection/store-unavailable.ts';
import { migrations } from '../migrations/index.ts';
import { PostgresResourceStore } from '../resources/postgres-resource-store.ts';
import { MigrationFailed } from './migration-failed.ts';
import { migrate } from './migrate.ts';

const database = useDatabase({ migrated: false });
const all = migrations.map(({ name }) => name);

/** A database whose owner is no superuser, as production has it. */
async function ownedDatabase(owner: string, privileges: string): Promise<string> {
  await database.asSuperuser(`CREATE ROLE ${owner} LOGIN PASSWORD 'secret' ${privileges}`);
  await database.asSuperuser(`CREATE DATABASE ${owner} OWNER ${owner}`);
  return asUser(owner, owner);
}

function asUser(user: string, name: string): string {
  const url = new URL(database.url);
  Object.assign(url, { username: user, password: 'secret', pathname: `/${name}` });
  return url.href;
}

describe('migrate', () => {
  it(verifies('STORE-002', 'says what to do when its user may not create the roles'), async () => {
    const url = await ownedDatabase('poor', '');
    await expect(migrate(url)).rejects.toThrow(/may not create roles\. Let an administrator run: CREATE ROLE agentstration_api NOLOGIN/);
  });

  it(verifies('STORE-001', 'builds the schema once when several services start at once, and is a no-op when done'), async () => {
    const ran = await Promise.all(Array.from({ length: 4 }, () => migrate(database.url)));
    expect(ran.flat().sort()).toEqual([...all].sort());
    expect(await migrate(database.url)).toEqual([]);
  });

  it(verifies('STORE-001', 'builds two databases of a cluster at once'), async () => {
    const urls = await Promise.all(['first', 'second'].map((name) => database.server.createDatabase(name)));
    expect(await Promise.all(urls.map((url) => migrate(url)))).toEqual([all, all]);
  });

  it(verifies(['STORE-002'], 'refuses a database that is not UTF8'), async () => {
    await database.asSuperuser(`CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'`);
    const url = database.url.replace(/\/store$/, '/ascii');
    await expect(migrate(url)).rejects.toThrow(
      new MigrationFailed("The database is encoded in SQL_ASCII, it must be UTF8: create it with ENCODING 'UTF8'"),
    );
  });

  it(verifies('STORE-002', 'refuses a role that may bypass row level security'), async () => {
    await database.asSuperuser('ALTER ROLE agentstration_projector BYPASSRLS');
    await expect(migrate(database.url)).rejects.toThrow('may bypass row level security');
    await database.asSuperuser('ALTER ROLE agentstration_projector NOBYPASSRLS');
  });

  it(verifies('STORE-050', 'tells an unreachable database from a failed migration'), async () => {
    const url = new URL(database.url);
    url.port = '1';
    const failure: unknown = await migrate(url.href).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreUnavailable);
    expect(failure).toMatchObject({
      explainsItself: true,
      message:
        'The database 127.0.0.1:1/store (Agentstration:Database:Url, Agentstration__Database__Url) cannot be used at the moment: it cannot be reached (ECONNREFUSED)',
    });
  });

  it(verifies('STORE-007', 'by an owner without special rights lets each service log in as a user of its own'), async () => {
    const url = await ownedDatabase('plain_owner', 'CREATEROLE');
    expect(await migrate(url)).toEqual(all);
    for (const role of storeRoles) {
      await database.asSuperuser(`CREATE ROLE login_${role} LOGIN PASSWORD 'secret' IN ROLE ${databaseRole(role)}`);
    }
    const api = createDataSource({ url: asUser('login_api', 'plain_owner'), role: 'api' });
    const posing = createDataSource({ url: asUser('login_executor', 'plain_owner'), role: 'api' });
    try {
      const key = resourceKey(newScope(), 'ToolExecutionHook', 'guard');
      expect(await new PostgresResourceStore(api).create(key, content(hookDefinition()), 'me')).toMatchObject({ kind: 'created' });
      await expect(new PostgresResourceStore(posing).get(key)).rejects.toThrow(
        new StoreUnavailable('42501', 'the role of the service is missing, or its user is not a member'),
      );
    } finally {
      await closeDataSource(api);
      await closeDataSource(posing);
    }
  });
});
