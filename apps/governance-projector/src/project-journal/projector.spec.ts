import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fact, streams } from '@agentstration/contracts';
import type { GovernanceRecord } from '@agentstration/governance';
import { provisionStreams } from '@agentstration/journal';
import {
  type NatsServer,
  type PostgresServer,
  eventually,
  removePostgres,
  startNatsServer,
  startPostgres,
} from '@agentstration/local-servers';
import { closeDataSource, createDataSource, migrate } from '@agentstration/store';
import { ReadModelReader, listDeadLetters, listRunRecords, readCheckpoint } from '@agentstration/store/read-model';
import { allows, attemptFacts, journalSubject } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, connect } from '@nats-io/transport-node';
import type { DataSource } from 'typeorm';
import { type JournalSource, natsJournalSource } from './journal-source.ts';
import { Projector, type ProjectorState, type ProjectorStatus } from './projector.ts';

const scope = { tenantId: 'local', workspaceId: 'demo' };
const run = { ...scope, ownerKind: 'RuntimeRun', runId: 'run-42' } as const;

let directory: string;
let postgres: PostgresServer;
let nats: NatsServer;
let connection: NatsConnection;
let database: DataSource;
let url: string;
let databases = 0;
const projectors: Projector[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'projector-'));
  // Kept, so that a killed database comes back with what it had committed.
  [postgres, nats] = await Promise.all([startPostgres({ dataDirectory: join(directory, 'postgres') }), startNatsServer()]);
  connection = await connect({ servers: nats.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
});
afterAll(async () => {
  await connection?.close();
  await Promise.all([postgres?.stop(), nats?.stop()]);
  await removePostgres(join(directory, 'postgres'));
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await provision();
  url = await postgres.createDatabase(`projector_${(databases += 1)}`);
  await migrate(url);
  database = createDataSource({ url, role: 'projector' });
});
afterEach(async () => {
  await Promise.all(projectors.splice(0).map((projector) => projector.stop()));
  await closeDataSource(database);
  await deleteJournal();
});

const provision = () => provisionStreams(connection, { replicas: 1, journalMaximumBytes: 64 * 1024 ** 2, ackWaitMs: 10_000 });
const deleteJournal = async () => void (await (await jetstreamManager(connection)).streams.delete(streams.journal));

/** Every state that any projector of the test was in. */
const states: ProjectorState[] = [];
function startProjector(owner = 'a', journal = natsJournalSource(connection)): Projector {
  const nothing = () => undefined;
  const changed = ({ state }: ProjectorStatus) => void states.push(state);
  const projector = new Projector({ database, journal, owner, events: { changed, projected: nothing, interrupted: nothing } });
  projector.start();
  projectors.push(projector);
  return projector;
}

const publish = async (...facts: readonly Fact[]): Promise<void> => {
  for (const fact of facts) await jetstream(connection).publish(journalSubject(scope, fact), JSON.stringify(fact));
};
const attemptOf = (index: number) => {
  const attempt = attemptFacts({ toolCallId: `call-${index}` });
  return [attempt.started(), attempt.evaluated([allows('a')]), attempt.completed()];
};
const records = async () => {
  const query = { run, afterSequence: 0, limit: 200, filter: {}, withArguments: false };
  const { text } = await listRunRecords(new ReadModelReader(database), query);
  return { items: JSON.parse(`[${text}]`) as GovernanceRecord[] };
};
const expectRecords = (count: number, within = 10_000) =>
  eventually(async () => expect((await records()).items.map(({ outcome }) => outcome)).toEqual(Array(count).fill('Succeeded')), { within });
const expectState = (projector: Projector, state: ProjectorState) =>
  eventually(() => expect(projector.status).toMatchObject({ state }), { within: 15_000 });

describe('the projector', () => {
  it(verifies(['PROJ-001', 'PROJ-005'], 'keeps up with the Journal, and goes on where it was after a restart'), async () => {
    await publish(...attemptOf(1));
    const first = startProjector();
    await publish(...attemptOf(2));
    await expectRecords(2);
    await first.stop();
    await publish(...attemptOf(3));
    startProjector('b');
    await expectRecords(3);
    expect((await records()).items.map(({ sequence, workspaceSequence }) => [sequence, workspaceSequence])).toEqual([
      [2, 2],
      [5, 5],
      [8, 8],
    ]);
  });

  it(verifies('PROJ-012', 'works off a backlog of 10 000 facts'), async () => {
    const client = jetstream(connection);
    const facts = Array.from({ length: 3334 }, (_, index) => attemptOf(index)).flat();
    while (facts.length > 0)
      await Promise.all(facts.splice(0, 500).map((fact) => client.publish(journalSubject(scope, fact), JSON.stringify(fact))));
    const projector = startProjector();
    await eventually(() => expect(projector.status.sequence).toBe(10_002), { within: 20_000 });
    const [{ count }] = await database.query<[{ count: string }]>(`SELECT count(*) FROM read_model.record_1 WHERE outcome = 'Succeeded'`);
    expect(Number(count)).toBe(3334);
  });

  it(verifies(['PROJ-002', 'PROJ-008'], 'waits out a database that dies, dead-letters nothing and repeats nothing'), async () => {
    const projector = startProjector();
    for (let round = 0; round < 3; round += 1) {
      await publish(...attemptOf(round * 2));
      await postgres.kill();
      await publish(...attemptOf(round * 2 + 1));
      await expectState(projector, 'waiting');
      await postgres.restart();
      await expectRecords(round * 2 + 2, 20_000);
    }
    const { items } = await listDeadLetters(new ReadModelReader(database), { scope, afterSequence: 0, limit: 10 });
    expect(items).toEqual([]);
    expect(projector.status).toMatchObject({ state: 'projecting', sequence: 18 });
  });

  it(verifies('PROJ-003', 'is one: a standby takes over within 10 s when the active one vanishes'), async () => {
    const active = startProjector('active');
    await expectState(active, 'projecting');
    const standby = startProjector('standby');
    await expectState(standby, 'standby');
    await publish(...attemptOf(1));
    await expectRecords(1);
    expect(standby.status.state).toBe('standby');
    // The active one vanishes without a word: its lease is all that is left of it.
    await active.stop();
    await database.query(`UPDATE read_model.generation SET owner = 'vanished', lease_until = now() + interval '6 seconds'`);
    const before = performance.now();
    await expectState(standby, 'projecting');
    expect(performance.now() - before).toBeLessThan(10_000);
    await publish(...attemptOf(2));
    await expectRecords(2);
  });

  it(verifies('PROJ-004', 'halts on a recreated Journal, and says so'), async () => {
    const projector = startProjector();
    await publish(...attemptOf(1));
    await expectRecords(1);
    await deleteJournal();
    await provision();
    await publish(...attemptOf(2), ...attemptOf(3));
    await expectState(projector, 'halted');
    await projector.stop();
    states.length = 0;
    const next = startProjector('next');
    await expectState(next, 'halted');
    expect(states).toEqual(['halted']);
    expect(next.status.reason).toMatch(/recreated|created/);
    await expectRecords(1);
  });

  it(verifies('PROJ-004', 'halts on a Journal that is shorter, or has another message at the place of the checkpoint'), async () => {
    const first = startProjector();
    await publish(...attemptOf(1));
    await expectRecords(1);
    await first.stop();
    await database.query(`UPDATE read_model.generation SET message_hash = '\\x00'`);
    states.length = 0;
    const rewritten = startProjector('b');
    await expectState(rewritten, 'halted');
    expect(rewritten.status.reason).toContain('rewritten');
    await rewritten.stop();
    await database.query(`UPDATE read_model.generation SET sequence = 100`);
    const shorter = startProjector('c');
    await expectState(shorter, 'halted');
    expect(shorter.status.reason).toContain('shorter');
    expect(states).toEqual(['halted', 'stopped', 'halted']);
  });

  it(verifies('PROJ-004', 'halts at a gap and projects nothing beyond it'), async () => {
    const [started, evaluated, completed] = attemptOf(2) as [Fact, Fact, Fact];
    await publish(...attemptOf(1), started);
    const real = natsJournalSource(connection);
    const withoutFive: JournalSource = {
      ...real,
      async *read(reading) {
        for await (const batch of real.read(reading)) yield { ...batch, messages: batch.messages.filter(({ sequence }) => sequence !== 5) };
      },
    };
    const projector = startProjector('a', withoutFive);
    await eventually(() => expect(projector.status).toMatchObject({ state: 'projecting', sequence: 4 }));
    await publish(evaluated, completed);
    await expectState(projector, 'halted');
    expect(projector.status.reason).toContain('message 5 is missing');
    expect((await readCheckpoint(database, 1))?.sequence).toBe(4);
    // Looked at again it is still halted: nobody is told in between that it goes on.
    await projector.stop();
    states.length = 0;
    const next = startProjector('b', withoutFive);
    await expectState(next, 'halted');
    expect(states).toEqual(['halted']);
  });

  it('says that it projects when there is nothing to project', async () => {
    const first = startProjector();
    await expectState(first, 'projecting');
    await publish(...attemptOf(1));
    await expectRecords(1);
    await first.stop();
    const next = startProjector('b');
    await expectState(next, 'projecting');
    expect(next.status.sequence).toBe(3);
  });

  it('goes on after the broker was away', async () => {
    const projector = startProjector();
    await publish(...attemptOf(1));
    await expectRecords(1);
    await nats.restart();
    await eventually(async () => (await jetstreamManager(connection)).streams.info(streams.journal));
    await publish(...attemptOf(2));
    await expectRecords(2, 20_000);
    expect(projector.status.state).toBe('projecting');
  }, 40_000);
});
