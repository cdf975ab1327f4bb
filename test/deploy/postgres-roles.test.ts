import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres } from '@agentstration/local-servers';
import { migrate } from '@agentstration/store';
import { verifies } from '@agentstration/test/verifies';
import { rolesStatements, runStatements } from './roles-statements.ts';

const users = {
  management_api: 'agentstration_api',
  tool_executor: 'agentstration_executor',
  governance_projector: 'agentstration_projector',
};

describe('the database users of deploy/postgres/roles.sql', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let url: URL;

  const urlOf = (user: string): string => {
    const own = new URL(url);
    own.username = user;
    own.password = `database-password-${user.replaceAll('_', '-')}`;
    return own.href;
  };

  beforeAll(async () => {
    postgres = await startPostgres();
    url = new URL(await postgres.createDatabase('agentstration'));
    await runStatements(url.href, await rolesStatements((name) => name));
    await migrate(urlOf('migration'));
  }, 60_000);
  afterAll(() => postgres.stop());

  it(verifies('DEPLOY-008', 'let the owner migrate, and each service take its own role and no other'), async () => {
    for (const [user, role] of Object.entries(users)) {
      await expect(runStatements(urlOf(user), `SET ROLE ${role}`)).resolves.toBeUndefined();
      for (const other of Object.values(users).filter((known) => known !== role)) {
        await expect(runStatements(urlOf(user), `SET ROLE ${other}`)).rejects.toThrow('permission denied');
      }
    }
  });

  it(verifies('DEPLOY-008', 'own nothing that they could change for ever: no service may create, or drop what is there'), async () => {
    for (const [user, role] of Object.entries(users)) {
      const asService = (text: string) => runStatements(urlOf(user), `SET ROLE ${role}; ${text}`);
      await expect(asService('CREATE SCHEMA mine')).rejects.toThrow('permission denied');
      await expect(asService('CREATE TABLE agentstration.mine (id int)')).rejects.toThrow('permission denied');
      await expect(asService('DROP SCHEMA agentstration CASCADE')).rejects.toThrow('must be owner');
    }
  });
});
