import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres } from '@agentstration/local-servers';
import { migrate } from '@agentstration/store';
import { verifies } from '@agentstration/test/verifies';
import pg from 'pg';
import { deploy } from './read-compose.ts';

const users = {
  management_api: 'agentstration_api',
  tool_executor: 'agentstration_executor',
  governance_projector: 'agentstration_projector',
};

/** What psql would send: backtick variables hold the content of a secret file, here the file's own name. */
async function rolesStatements(): Promise<string> {
  const lines = (await readFile(join(deploy, 'postgres/roles.sql'), 'utf8')).split('\n');
  const variables = lines.flatMap((line) => {
    const [, name, file] = /^\\set (\w+) `cat \/run\/secrets\/([\w-]+)`$/.exec(line) ?? [];
    return name !== undefined && file !== undefined ? [{ name, file }] : [];
  });
  const statements = lines.filter((line) => !line.startsWith('\\')).join('\n');
  return variables.reduce((text, { name, file }) => text.replaceAll(`:'${name}'`, pg.escapeLiteral(file)), statements);
}

describe('the database users of deploy/postgres/roles.sql', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let url: URL;

  const urlOf = (user: string): string => {
    const own = new URL(url);
    own.username = user;
    own.password = `database-password-${user.replaceAll('_', '-')}`;
    return own.href;
  };
  async function query(connection: string, text: string): Promise<void> {
    const client = new pg.Client({ connectionString: connection });
    await client.connect();
    try {
      await client.query(text);
    } finally {
      await client.end();
    }
  }

  beforeAll(async () => {
    postgres = await startPostgres();
    url = new URL(await postgres.createDatabase('agentstration'));
    await query(url.href, await rolesStatements());
    await migrate(urlOf('migration'));
  }, 60_000);
  afterAll(() => postgres.stop());

  it(verifies('DEPLOY-008', 'let the owner migrate, and each service take its own role and no other'), async () => {
    for (const [user, role] of Object.entries(users)) {
      await expect(query(urlOf(user), `SET ROLE ${role}`)).resolves.toBeUndefined();
      for (const other of Object.values(users).filter((known) => known !== role)) {
        await expect(query(urlOf(user), `SET ROLE ${other}`)).rejects.toThrow('permission denied');
      }
    }
  });

  it(verifies('DEPLOY-008', 'own nothing that they could change for ever: no service may create, or drop what is there'), async () => {
    for (const [user, role] of Object.entries(users)) {
      const asService = (text: string) => query(urlOf(user), `SET ROLE ${role}; ${text}`);
      await expect(asService('CREATE SCHEMA mine')).rejects.toThrow('permission denied');
      await expect(asService('CREATE TABLE agentstration.mine (id int)')).rejects.toThrow('permission denied');
      await expect(asService('DROP SCHEMA agentstration CASCADE')).rejects.toThrow('must be owner');
    }
  });
});
