import { type PostgresServer, startPostgres } from '@agentstration/local-servers';
import { abandoned, allows, attemptFacts } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compareGenerations } from '../compare/compare-generations.ts';
import { holdProjection, seeThenRelease } from '../compare/hold-projection.ts';
import { createGeneration } from '../generations.ts';
import { takeLease } from '../project/checkpoint.ts';
import { projectBatch } from '../project/project-batch.ts';
import { listRunEvents } from '../query/list-run-events.ts';
import { listToolCalls } from '../query/list-tool-calls.ts';
import { type ReadModelRig, openReadModel, rigOwner, rigStream, readRecords } from '../read-model-rig.ts';
import { pendingRemovals, removeOldest, repeatRemoval } from './removals.ts';

const scope = { tenantId: 'local', workspaceId: 'demo' };
const other = { tenantId: 'local', workspaceId: 'other' };
const run = { ...scope, ownerKind: 'RuntimeRun', runId: 'run-42' } as const;
const page = { run, afterSequence: 0, limit: 100 };

let postgres: PostgresServer;
let rig: ReadModelRig;
beforeAll(async () => {
  postgres = await startPostgres();
  rig = await openReadModel(await postgres.createDatabase('retention'));
});
afterAll(async () => {
  await rig?.close();
  await postgres?.stop();
});

/** Message n of the rig is stored at this time. */
const storedAt = (sequence: number): number => rig.messages[sequence - 1]!.storedAt;

/** A rebuild: the same messages and the same removals at the same positions. */
async function rebuild(): Promise<number> {
  const generation = await createGeneration(rig.dataSource);
  const lease = { generation, owner: rigOwner };
  await takeLease(rig.dataSource, lease);
  const removals = await pendingRemovals(rig.dataSource, generation);
  for (const [index, message] of rig.messages.entries()) {
    await projectBatch(rig.dataSource, { ...lease, streamCreated: rigStream, messages: [message] });
    for (const removal of removals.filter(({ journalSequence }) => journalSequence === index + 1))
      await repeatRemoval(rig.dataSource, lease, removal);
  }
  return generation;
}

describe('retention', () => {
  it(verifies('PROJ-013', 'removes the oldest messages of one Workspace, tells what went, and a rebuild does the same'), async () => {
    const [done, open, retried, second] = [
      attemptFacts({ toolCallId: 'done', invocationId: 'done' }),
      attemptFacts({ toolCallId: 'open', invocationId: 'open' }),
      attemptFacts({ toolCallId: 'retried', invocationId: 'first' }),
      attemptFacts({ toolCallId: 'retried', invocationId: 'second', attempt: 2 }),
    ];
    rig.append(scope, done.started(), done.evaluated([allows('a')]), done.completed(), open.started(), open.evaluated());
    rig.append(scope, retried.started(), retried.evaluated(), retried.failed(abandoned));
    rig.append(other, done.started(), done.evaluated(), done.completed());
    rig.append(scope, second.started(), second.evaluated());
    await rig.project();

    expect(await removeOldest(rig.dataSource, { ...scope, before: storedAt(1) })).toBeUndefined();
    expect(await removeOldest(rig.dataSource, { ...scope, before: storedAt(12) })).toEqual({
      ...scope,
      through: 8,
      messages: 8,
      records: 3,
      attempts: 2,
    });
    expect(await removeOldest(rig.dataSource, { ...scope, before: storedAt(12) })).toBeUndefined();

    // What follows of attempts that were removed, and a late outcome of one whose call is still there.
    rig.append(scope, open.completed(), retried.completed(), done.failed());
    await rig.project(1);
    const records = await readRecords(rig.reader, { scope, filter: {}, limit: 10, withArguments: false });
    expect(records).toMatchObject({ removedThrough: 8, items: [{ invocationId: 'second' }] });
    const events = await listRunEvents(rig.reader, { ...page, withArguments: false });
    expect(events.items.map(({ sequence }) => sequence)).toEqual([9, 10, 11, 12, 13]);
    const calls = await listToolCalls(rig.reader, page);
    expect(calls.items).toMatchObject([
      { toolCallId: 'retried', state: 'Running', attempts: 2 },
      { toolCallId: 'open', state: 'Succeeded', latestAttempt: { startedAt: null } },
      { toolCallId: 'done', state: 'Failed', latestAttempt: { startedAt: null, decision: null } },
    ]);
    expect((await readRecords(rig.reader, { scope: other, filter: {}, limit: 10, withArguments: false })).items).toHaveLength(1);

    const rebuilt = await rebuild();
    const differences = await holdProjection(rig.dataSource, 1, (held) =>
      seeThenRelease(rig.dataSource, held, (manager) => compareGenerations(manager, [1, rebuilt])),
    );
    expect(differences).toEqual([]);
  });

  it('keeps what follows a message that a clock put into the future', async () => {
    const workspace = { tenantId: 'local', workspaceId: 'clock' };
    rig.append(workspace, ...[1, 2, 3].map((index) => attemptFacts({ toolCallId: `call-${index}` }).started()));
    Object.assign(rig.messages.at(-2)!, { storedAt: Date.UTC(2100) });
    await rig.project();
    expect(await removeOldest(rig.dataSource, { ...workspace, before: Date.UTC(2050) })).toMatchObject({ through: 1, messages: 1 });
  });
});
