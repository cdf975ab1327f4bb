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
  }, 240_000);
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

  const insertHook = `INSERT INTO agentstration.resources (tenant_id, workspace_id, kind, namespace, name, labels, annotations, definition, status,
    changed_by) VALUES ('acme', 'demo', 'ToolExecutionHook', 'default', 'mine', '{}', '{}', '{}', '{}', 'me')`;
  const foreign: readonly (readonly [user: keyof typeof users, statement: string])[] = [
    ['governance_projector', insertHook],
    ['governance_projector', 'SELECT * FROM agentstration.resources'],
    ['governance_projector', `UPDATE agentstration.runs SET cancelled_by = 'me'`],
    ['tool_executor', insertHook],
    ['tool_executor', 'DELETE FROM agentstration.hook_anchors'],
    ['tool_executor', 'SELECT * FROM read_model.active'],
    ['management_api', 'CREATE TABLE read_model.mine ()'],
    ['management_api', 'DELETE FROM read_model.active'],
    ['management_api', 'SELECT * FROM read_model.removal'],
    ['management_api', 'ALTER TABLE agentstration.resources NO FORCE ROW LEVEL SECURITY'],
    ['management_api', 'CREATE TEMPORARY TABLE mine ()'],
  ];

  it.each(foreign)(verifies('DEPLOY-008', 'do not let %s do the work of another: %s'), async (user, statement) => {
    const scope = `SELECT set_config('agentstration.tenant', 'acme', false), set_config('agentstration.workspace', 'demo', false)`;
    // As it logs in and as its role: neither may do more than the other.
    for (const become of ['', `SET ROLE ${users[user]}; `, `SET ROLE ${users[user]}; RESET ROLE; `]) {
      await expect(runStatements(urlOf(user), `${scope}; ${become}${statement}`)).rejects.toThrow(/permission denied|must be owner/);
    }
  });

  it(verifies('DEPLOY-008', 'let nobody else into the database'), async () => {
    await runStatements(url.href, `CREATE ROLE stranger LOGIN PASSWORD 'secret'`);
    const stranger = Object.assign(new URL(url), { username: 'stranger', password: 'secret' });
    await expect(runStatements(stranger.href, 'SELECT 1')).rejects.toThrow('permission denied for database');
  });
});
