import { type PostgresServer, startPostgres } from '@agentstration/local-servers';
import { allows, attemptFacts, managed } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createGeneration, dropGeneration, indexGeneration, listGenerations } from '../generations.ts';
import { takeLease } from '../project/checkpoint.ts';
import { projectBatch } from '../project/project-batch.ts';
import { type ReadModelRig, openReadModel, rigOwner, rigStream, readRunRecords } from '../read-model-rig.ts';
import { generationTables, readModelFormat, tablesOf } from '../tables/generation-tables.ts';
import { compareGenerations } from './compare-generations.ts';
import { holdProjection, seeThenRelease } from './hold-projection.ts';
import { switchGeneration } from './switch-generation.ts';

const scope = { tenantId: 'local', workspaceId: 'demo' };
let postgres: PostgresServer;
let rig: ReadModelRig;
beforeAll(async () => {
  postgres = await startPostgres();
  rig = await openReadModel(await postgres.createDatabase('compare'));
  for (let index = 0; index < 20; index += 1) {
    const attempt = attemptFacts({ runId: `run-${index % 3}`, toolCallId: `call-${index}` });
    rig.append(scope, attempt.started(), attempt.evaluated([managed('a', 1), allows('b')]), attempt.completed());
    if (index === 7) rig.append(scope, { subject: 'agentstration.journal.v1.local.demo.runtime.run-1', text: 'poison' });
  }
  await rig.project();
});
afterAll(async () => {
  await rig?.close();
  await postgres?.stop();
});

let rebuilt: number;
beforeEach(async () => {
  rebuilt = await createGeneration(rig.dataSource);
  await takeLease(rig.dataSource, { generation: rebuilt, owner: rigOwner });
});

/** Projects in other batches than the first generation was. */
const bringTo = async (sequence: number): Promise<void> => {
  for (let at = 0; at < sequence; at += 7) {
    const messages = rig.messages.slice(at, Math.min(at + 7, sequence));
    await projectBatch(rig.dataSource, { generation: rebuilt, owner: rigOwner, streamCreated: rigStream, messages });
  }
};
const compare = () =>
  holdProjection(rig.dataSource, 1, async (held) => {
    await bringTo(held.sequence);
    const differences = await seeThenRelease(rig.dataSource, held, (manager) => compareGenerations(manager, [1, rebuilt]));
    return { sequence: held.sequence, differences };
  });

describe('a rebuilt generation', () => {
  it(verifies(['PROJ-005', 'PROJ-009'], 'is equal row for row, in whatever batches it was projected'), async () => {
    expect(await compare()).toEqual({ sequence: rig.messages.length, differences: [] });
  });

  it.each(generationTables)(verifies('PROJ-010', 'shows one changed byte, one missing and one extra row of %s'), async (table) => {
    const name = tablesOf(rebuilt)[table];
    const changes: Record<string, string> = {
      workspace: 'last_sequence = last_sequence + 1',
      run: `run_id = run_id || 'x'`,
      message: 'payload = set_byte(payload, 3, (get_byte(payload, 3) + 1) % 256)',
      attempt: `ending = replace(ending, '12.5', '12.6')`,
      record: `document = replace(document, 'Allowed', 'allowed')`,
      record_outcome: `outcome = 'Failed'`,
      evaluation: `hook_id = hook_id || ' '`,
      hour: 'last_sequence = last_sequence - 1',
      dead_letter: `reason = 'x'`,
    };
    const key =
      table === 'message'
        ? `WHERE ctid = (SELECT min(ctid) FROM ${name} WHERE payload IS NOT NULL)`
        : `WHERE ctid = (SELECT min(ctid) FROM ${name})`;
    await bringTo(rig.messages.length);
    await rig.dataSource.query(`UPDATE ${name} SET ${changes[table]!} ${key}`);
    const changed = (await compare()).differences;
    expect(changed).toMatchObject([{ table, furtherRanges: 0 }]);
    expect(changed[0]?.examples[0]).toMatch(/^(journal_sequence|workspace_key|run_key)=\d+/);
    await rig.dataSource.query(`DELETE FROM ${name} WHERE ctid = (SELECT max(ctid) FROM ${name})`);
    expect((await compare()).differences).toMatchObject([{ table }]);
  });

  it(verifies('PROJ-007', 'has read what an older version could only set aside'), async () => {
    const older = await createGeneration(rig.dataSource);
    const lease = { generation: older, owner: rigOwner };
    await takeLease(rig.dataSource, lease);
    const aside = { fact: undefined, reason: 'unknown fact type' };
    const messages = rig.messages.map((message) => (message.sequence === 2 ? { ...message, ...aside } : message));
    await projectBatch(rig.dataSource, { ...lease, streamCreated: rigStream, messages });
    await bringTo(rig.messages.length);
    const differences = await holdProjection(rig.dataSource, older, (held) =>
      seeThenRelease(rig.dataSource, held, (manager) => compareGenerations(manager, [older, rebuilt])),
    );
    const tables = differences.map(({ table }) => table);
    expect(tables).toEqual(['message', 'attempt', 'record', 'record_outcome', 'evaluation', 'hour', 'dead_letter']);
    const [{ count }] = await rig.dataSource.query<[{ count: string }]>(`SELECT count(*) FROM ${tablesOf(rebuilt).dead_letter}`);
    expect(count).toBe('1');
  });

  it(verifies('PROJ-009', 'answers after the switch, and the one before it again after going back'), async () => {
    await bringTo(rig.messages.length);
    await indexGeneration(rig.dataSource, rebuilt);
    const to = { generation: rebuilt, format: readModelFormat, sequence: rig.messages.length };
    const page = {
      run: { ...scope, ownerKind: 'RuntimeRun', runId: 'run-1' } as const,
      afterSequence: 0,
      limit: 100,
      filter: {},
      withArguments: true,
    };
    const before = await readRunRecords(rig.reader, page);
    await expect(switchGeneration(rig.dataSource, { ...to, sequence: to.sequence + 1 })).rejects.toThrow('has reached');
    await expect(switchGeneration(rig.dataSource, { ...to, format: 99 })).rejects.toThrow('format');
    await switchGeneration(rig.dataSource, to);
    await rig.dataSource.query(`UPDATE ${tablesOf(1).record} SET document = replace(document, '"echo"', '"the old generation"')`);
    expect(await readRunRecords(rig.reader, page)).toEqual(before);
    expect((await listGenerations(rig.dataSource)).filter(({ role }) => role !== 'other')).toMatchObject([
      { generation: 1, role: 'previous' },
      { generation: rebuilt, role: 'active' },
    ]);
    await expect(dropGeneration(rig.dataSource, rebuilt)).rejects.toThrow('is active');
    await switchGeneration(rig.dataSource, { ...to, generation: 1 });
    expect((await readRunRecords(rig.reader, page)).items[0]).toMatchObject({ toolName: 'the old generation' });
    await dropGeneration(rig.dataSource, rebuilt);
    expect((await readRunRecords(rig.reader, page)).items).toHaveLength(before.items.length);
  });
});
