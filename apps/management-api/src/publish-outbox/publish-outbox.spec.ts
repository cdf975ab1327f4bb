import { streams } from '@agentstration/contracts';
import { JetStreamJournal, JournalVerifier, provisionStreams } from '@agentstration/journal';
import { type NatsServer, type PostgresServer, eventually, startNatsServer, startPostgres } from '@agentstration/local-servers';
import {
  type ClaimedMessage,
  type NewRun,
  Outbox,
  PostgresRunStore,
  closeDataSource,
  createDataSource,
  migrate,
} from '@agentstration/store';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, connect } from '@nats-io/transport-node';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { v7 as newId } from 'uuid';
import { cancelRun } from '../cancel-run/cancel-run.ts';
import { createRun } from '../create-run/create-run.ts';
import { OutboxPublisher } from './outbox-publisher.ts';
import { type BrokerPorts, publishMessage } from './publish-message.ts';

const scope = { tenantId: 'acme', workspaceId: 'demo' };
const settings = { replicas: 1, journalMaximumBytes: 64 * 1024 ** 2, ackWaitMs: 10_000, requestsPerWorkspace: 3 };

let postgres: PostgresServer;
let nats: NatsServer;
let connection: NatsConnection;
let databaseUrl: string;
let database: DataSource;
let verifier: JournalVerifier;
let ports: BrokerPorts;
let outbox: Outbox;
const publishers: OutboxPublisher[] = [];

beforeAll(async () => {
  [postgres, nats] = await Promise.all([startPostgres(), startNatsServer()]);
  databaseUrl = await postgres.createDatabase('outbox');
  await migrate(databaseUrl);
  database = createDataSource({ url: databaseUrl, role: 'api' });
  connection = await connect({ servers: nats.url });
  await provisionStreams(connection, settings);
  verifier = new JournalVerifier({ connection, requiredDurability: 'process', monitoringUrls: [] });
  await verifier.start();
  const journal = new JetStreamJournal({ connection, verifier, publishTimeoutMs: 2000 });
  ports = { journal, jetStream: jetstream(connection), publishTimeoutMs: 2000 };
  outbox = new Outbox(database);
}, 60_000);

afterEach(async () => {
  await Promise.all(publishers.splice(0).map((publisher) => publisher.stop()));
  await (await jetstreamManager(connection)).streams.purge(streams.requests);
});

afterAll(async () => {
  await verifier?.stop();
  await connection?.close();
  if (database) await closeDataSource(database);
  await Promise.all([postgres?.stop(), nats?.stop()]);
});

const runs = (): PostgresRunStore => new PostgresRunStore(database);
const stamp = () => ({ id: newId(), time: new Date().toISOString(), source: 'agentstration/management-api/test' });

const order = (in_: { workspaceId?: string; calls?: number } = {}) =>
  createRun(
    { runs: runs(), newId, stamp, maximumRequestBytes: () => 1_000_000, nudge: () => undefined },
    {
      scope: { ...scope, workspaceId: in_.workspaceId ?? 'demo' },
      by: 'ada',
      order: {
        agentId: 'support',
        toolCalls: Array.from({ length: in_.calls ?? 1 }, () => ({ toolId: 'echo', arguments: { secret: 'CANARY-7' } })),
      },
    },
  );

function startPublisher(publish = (message: ClaimedMessage) => publishMessage(ports, message)): void {
  const publisher = new OutboxPublisher({ outbox, publish, warn: () => undefined, ...{ idleMs: 20, retryMs: 20 } });
  publisher.start();
  publishers.push(publisher);
}

const emptied = () => eventually(async () => expect((await outbox.backlog()).waiting).toBe(0), { within: 10_000 });

/** Every message of a stream, as JSON. */
async function dump(stream: string): Promise<Record<string, unknown>[]> {
  const manager = await jetstreamManager(connection);
  const { state } = await manager.streams.info(stream);
  const found: Record<string, unknown>[] = [];
  for (let seq = state.first_seq; seq <= state.last_seq && state.messages > 0; seq += 1) {
    const message = await manager.streams.getMessage(stream, { seq });
    if (message) found.push(message.json<Record<string, unknown>>());
  }
  return found;
}
/** Everything that stands in the tables of runs, as their owner sees it. */
async function everyRow(): Promise<string> {
  const owner = new Client({ connectionString: databaseUrl });
  await owner.connect();
  try {
    const { rows } = await owner.query('SELECT o::text FROM agentstration.outbox o UNION ALL SELECT r::text FROM agentstration.runs r');
    return JSON.stringify(rows);
  } finally {
    await owner.end();
  }
}

const factsOf = async (runId: string) => (await dump(streams.journal)).filter(({ subject }) => subject === runId);

describe('the outbox reaches the broker', () => {
  it(verifies(['RUN-001', 'RUN-008'], 'a run leaves as its fact and its requests, and then no row holds arguments'), async () => {
    const run = await order({ calls: 2 });
    startPublisher();
    await emptied();

    expect(await factsOf(run.runId)).toMatchObject([
      { type: 'io.agentstration.RunCreated.v1', data: { runId: run.runId, principalId: 'ada' } },
    ]);
    const requests = await dump(streams.requests);
    expect(requests.map(({ requestId }) => requestId)).toEqual(run.toolCalls.map(({ requestId }) => requestId));
    const rows = await everyRow();
    expect(rows).toContain(run.runId);
    expect(rows).not.toContain('CANARY-7');
  });

  it(verifies('RUN-007', 'a crash after the broker took it and before the mark doubles no fact and keeps the requestId'), async () => {
    const run = await order();
    // Sent, and the process dies before it can say so: the lease ends unmarked.
    for (const message of await outbox.claim({ limit: 10, leaseMs: 1 })) await publishMessage(ports, message);
    startPublisher();
    await emptied();

    expect(await factsOf(run.runId)).toHaveLength(1);
    const ids = (await dump(streams.requests)).map(({ requestId }) => requestId);
    expect(new Set(ids)).toEqual(new Set(run.toolCalls.map(({ requestId }) => requestId)));
  });

  it(
    verifies('RUN-007', 'a broker that is away loses nothing'),
    async () => {
      await nats.kill();
      const run = await order();
      startPublisher((message) => publishMessage({ ...ports, publishTimeoutMs: 200 }, message));
      await new Promise((resolve) => setTimeout(resolve, 300));
      await nats.restart();
      await eventually(async () => expect(await factsOf(run.runId)).toHaveLength(1), { within: 25_000 });
      await eventually(async () => expect((await dump(streams.requests)).length).toBeGreaterThan(0), { within: 25_000 });
      await eventually(async () => expect((await outbox.backlog()).waiting).toBe(0), { within: 25_000 });
    },
    60_000,
  );

  it(verifies('RUN-005', 'a cancellation follows its creation in the journal, once'), async () => {
    const run: NewRun = await order();
    const signalled: unknown[] = [];
    const cancel = () =>
      cancelRun(
        {
          runs: runs(),
          progress: { toolCalls: () => Promise.resolve([]) },
          stamp,
          nudge: () => undefined,
          signal: (_, asked) => void signalled.push(asked),
        },
        { ...scope, ownerKind: run.ownerKind, runId: run.runId },
        'bob',
      );
    await cancel();
    expect(await cancel()).toMatchObject({ cancelledBy: 'bob' });
    startPublisher();
    await emptied();

    expect((await factsOf(run.runId)).map(({ type }) => type)).toEqual([
      'io.agentstration.RunCreated.v1',
      'io.agentstration.RunCancelled.v1',
    ]);
    expect(signalled).toEqual(Array.from({ length: 2 }, () => ({ ownerKind: 'RuntimeRun', runId: run.runId })));
  });

  it(
    verifies('RUN-009', 'a workspace whose queue is full does not hold up another one'),
    async () => {
      await order({ calls: 80 });
      await order({ workspaceId: 'other' });
      startPublisher();
      await eventually(async () => expect((await dump(streams.requests)).length).toBe(4), { within: 15_000 });
      expect((await outbox.backlog()).waiting).toBe(77);
    },
    30_000,
  );
});
