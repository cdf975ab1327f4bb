import { type PostgresServer, startPostgres } from '@agentstration/local-servers';
import { allows, attemptFacts, managed } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { queryInScope } from '../../connection/query-in-scope.ts';
import { createGeneration } from '../generations.ts';
import { type ReadModelRig, openReadModel } from '../read-model-rig.ts';
import { generationTables, tablesOf } from './generation-tables.ts';

const ours = { tenantId: 'acme', workspaceId: 'ours' };
const theirs = { tenantId: 'acme', workspaceId: 'theirs' };
const t = tablesOf(1);

let postgres: PostgresServer;
let rig: ReadModelRig;
beforeAll(async () => {
  postgres = await startPostgres();
  rig = await openReadModel(await postgres.createDatabase('wall'));
  for (const scope of [ours, theirs]) {
    const attempt = attemptFacts();
    rig.append(scope, attempt.started(), attempt.evaluated([managed('a', 1), allows('b')]), attempt.completed());
    rig.append(scope, { subject: `agentstration.journal.v1.acme.${scope.workspaceId}.runtime.run-42`, text: 'poison' });
  }
  await rig.project();
});
afterAll(async () => {
  await rig?.close();
  await postgres?.stop();
});

/** A query of somebody who forgot the WHERE. */
const everything = (table: (typeof generationTables)[number]) => ({ name: '', text: `SELECT * FROM ${t[table]}`, values: [] });

/** The management API needs the calls of a Run, and no more. */
const readable = { readerDataSource: generationTables, apiDataSource: ['workspace', 'run', 'attempt', 'record'] } as const;

describe.each(['readerDataSource', 'apiDataSource'] as const)('the wall around the read model, for %s,', (connection) => {
  it.each(readable[connection])(verifies('READ-015', 'shows of %s the rows of the own workspace alone'), async (table) => {
    const all = await rig.dataSource.query<unknown[]>(everything(table).text);
    const [own, foreign] = [
      await queryInScope(rig[connection], ours, everything(table)),
      await queryInScope(rig[connection], theirs, everything(table)),
    ];
    expect([own.length > 0, foreign.length]).toEqual([true, own.length]);
    expect(new Set([...own, ...foreign].map((row) => JSON.stringify(row)))).toEqual(new Set(all.map((row) => JSON.stringify(row))));
    expect(await queryInScope(rig[connection], { tenantId: 'acme', workspaceId: 'nobody' }, everything(table))).toEqual([]);
    expect(await rig[connection].query(everything(table).text)).toEqual([]);
  });

  it.each([
    `UPDATE ${t.record} SET outcome = NULL`,
    `DELETE FROM ${t.message}`,
    `INSERT INTO ${t.hour} VALUES (1, 1, 1, 1)`,
    `UPDATE read_model.active SET previous = NULL`,
    `CREATE TABLE read_model.mine ()`,
    `ALTER TABLE ${t.record} DISABLE ROW LEVEL SECURITY`,
    `SELECT * FROM read_model.removal`,
  ])(verifies('READ-015', 'refuses %s'), async (statement) => {
    const refused = rig[connection].transaction(async (manager) => {
      await manager.query('SET TRANSACTION READ WRITE');
      await manager.query(statement);
    });
    await expect(refused).rejects.toThrow(/permission denied|must be owner/);
  });
});

const beyond = generationTables.filter((table) => !(readable.apiDataSource as readonly string[]).includes(table));
it.each(beyond)(verifies('READ-015', 'keeps %s from the management API'), async (table) => {
  await expect(rig.apiDataSource.query(everything(table).text)).rejects.toThrow('permission denied');
});

it(verifies('READ-015', 'stands around every generation from its first moment on'), async () => {
  await createGeneration(rig.dataSource);
  const tables = await rig.dataSource.query<{ name: string; walled: boolean }[]>(
    `SELECT relname AS name, relrowsecurity AS walled FROM pg_class
     WHERE relnamespace = 'read_model'::regnamespace AND relkind = 'r' AND relname ~ '_[0-9]+$'`,
  );
  expect([tables.length, tables.filter(({ walled }) => !walled)]).toEqual([2 * generationTables.length, []]);
});
