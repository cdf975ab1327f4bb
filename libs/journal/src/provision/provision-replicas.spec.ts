import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { streams, toolCallJournalSubject } from '@agentstration/contracts';
import { encodeFact } from '@agentstration/governance';
import { eventually, type NatsServer } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { JetStreamJournal } from '../append/jetstream-journal.ts';
import { startCluster } from '../contract-suite/journal-cluster.ts';
import { testSettings } from '../contract-suite/journal-server.ts';
import { sampleCall, sampleFact } from '../contract-suite/sample-facts.ts';
import { adviceOn } from '../verify/broker-advice.ts';
import { JournalVerifier } from '../verify/journal-verifier.ts';
import { provisionStreams } from './provision-streams.ts';

describe('a Journal on three brokers', () => {
  let brokers: readonly NatsServer[];
  let connection: NatsConnection;
  let verifier: JournalVerifier | undefined;
  beforeAll(async () => {
    brokers = await startCluster();
    connection = await connect({ servers: brokers.map(({ url }) => url), maxReconnectAttempts: -1, reconnectTimeWait: 100 });
    await eventually(() => jetstreamManager(connection, { timeout: 300 }), { within: 20_000, every: 50 });
    await eventually(() => provisionStreams(connection, testSettings), { within: 20_000, every: 200 });
  });
  afterAll(async () => {
    await verifier?.stop();
    await connection.close();
    await Promise.all(brokers.map((broker) => broker.stop()));
  });

  it(verifies('STREAM-002', 'has its replicas raised, and refuses to have them lowered'), async () => {
    const settings = { ...testSettings, replicas: 3 };
    const done = await eventually(() => provisionStreams(connection, settings), { within: 10_000, every: 200 });
    expect(done.map(({ action }) => action)).toEqual(['raised', 'raised', 'raised', 'raised', 'unchanged']);
    expect(await provisionStreams(connection, settings)).toContainEqual({ name: streams.journal, action: 'unchanged' });
    await expect(provisionStreams(connection, testSettings)).rejects.toThrow('AGENTSTRATION_JOURNAL: num_replicas is 3, must be 1');
  });

  it(verifies(['JVER-002', 'JVER-011', 'JRNL-004'], 'keeps its facts and its identity when its leader dies'), async () => {
    verifier = new JournalVerifier({ connection, requiredDurability: 'process', monitoringUrls: [] });
    const status = () => verifier?.status;
    const advice = adviceOn({ version: connection.info?.version ?? '', replicas: 3 });
    expect(await verifier.start()).toMatchObject({ verified: true, journal: { replicas: 3 }, ...(advice ? { advice } : {}) });
    const journal = new JetStreamJournal({ connection, verifier, publishTimeoutMs: 1000 });
    const call = sampleCall(1);
    const append = (id: string, expectedLastSequence: number) =>
      journal.append({ subject: toolCallJournalSubject(call), payload: encodeFact(sampleFact(call, id)), expectedLastSequence });
    const manager = await jetstreamManager(connection, { timeout: 1000 });
    await eventually(async () => {
      const { cluster } = await manager.streams.info(streams.journal);
      expect(cluster?.replicas?.map(({ current }) => current)).toEqual([true, true]);
    });
    expect(await append('a', 0)).toMatchObject({ kind: 'acknowledged' });
    const { cluster } = await manager.streams.info(streams.journal);
    await brokers.find((_, index) => `broker-${index + 1}` === cluster?.leader)!.kill();
    await eventually(async () => expect(await append('b', 1)).toMatchObject({ kind: 'acknowledged', acknowledgement: { sequence: 2 } }), {
      within: 20_000,
      every: 200,
    });
    expect((await journal.readToolCall(call)).map(({ fact }) => fact.id)).toEqual(['a', 'b']);
    await eventually(() => expect(status()).toMatchObject({ verified: true, reasons: [] }));
  });
});
