import { execFile } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { streams, toolCallJournalSubject } from '@agentstration/contracts';
import { encodeFact } from '@agentstration/governance';
import { eventually, findNatsServer } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { type JetStreamManager, jetstreamManager, type StreamConfig } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { JetStreamJournal } from '../append/jetstream-journal.ts';
import { type JournalServer, startJournalServer } from '../contract-suite/journal-server.ts';
import { sampleCall, sampleFact } from '../contract-suite/sample-facts.ts';
import type { JournalStatus } from './journal-status.ts';
import { JournalVerifier, type JournalVerifierOptions } from './journal-verifier.ts';

/** nats-server 2.9 does not know the setting. */
const brokerCanSync = /v2\.\d\d/.test((await promisify(execFile)(await findNatsServer(), ['--version'])).stdout);
const sealedUpdate = { sealed: true } as Partial<StreamConfig>;

describe('JournalVerifier', () => {
  let own: JournalServer;
  let admin: NatsConnection;
  let manager: JetStreamManager;
  const verifiers: JournalVerifier[] = [];
  beforeEach(async () => {
    own = await startJournalServer();
    admin = await own.connect();
    manager = await jetstreamManager(admin, { timeout: 500 });
  });
  afterEach(async () => {
    await Promise.all(verifiers.splice(0).map((verifier) => verifier.stop()));
    await own.stop();
  });

  const makeVerifier = async (over: Partial<JournalVerifierOptions> = {}): Promise<JournalVerifier> => {
    const connection = over.connection ?? (await own.connect());
    const verifier = new JournalVerifier({ connection, requiredDurability: 'process', monitoringUrls: [], timeoutMs: 500, ...over });
    verifiers.push(verifier);
    return verifier;
  };
  const start = async (over: Partial<JournalVerifierOptions> = {}): Promise<JournalVerifier> => {
    const verifier = await makeVerifier(over);
    await verifier.start();
    return verifier;
  };
  const turns = (verifier: JournalVerifier, expected: Partial<JournalStatus>, within = 2000) =>
    eventually(() => expect(verifier.status).toMatchObject(expected), { within });
  const append = async (verifier: JournalVerifier, id: string, fence: number): Promise<void> => {
    const journal = new JetStreamJournal({ connection: await own.connect(), verifier, publishTimeoutMs: 500 });
    const call = sampleCall(1);
    await journal.append({ subject: toolCallJournalSubject(call), payload: encodeFact(sampleFact(call, id)), expectedLastSequence: fence });
  };

  it(verifies(['JVER-001', 'JVER-002'], 'verifies a provisioned Journal on start'), async () => {
    const verifier = await makeVerifier();
    expect(verifier.status).toMatchObject({ verified: false, reasons: ['The Journal was not checked yet'] });
    expect(await verifier.objection()).toBe('The Journal was not checked yet');
    expect(await verifier.start()).toMatchObject({
      verified: true,
      reasons: [],
      durability: 'process',
      journal: { lastSequence: 0, replicas: 1 },
    });
    expect(verifier.acceptsNewAttempts()).toBe(true);
    expect(await verifier.objection()).toBeUndefined();
  });

  it(verifies('JVER-003', 'says what to do when there is no Journal, and makes none'), async () => {
    await manager.streams.delete(streams.journal);
    const verifier = await start();
    expect(verifier.status).toMatchObject({
      verified: false,
      reasons: ['There is no stream AGENTSTRATION_JOURNAL. Run the provisioning.'],
    });
    expect(verifier.acceptsNewAttempts()).toBe(false);
    await expect(manager.streams.info(streams.journal)).rejects.toThrow('stream not found');
  });

  it.each<[string, Partial<StreamConfig>]>([
    ['storage', { storage: 'memory' }],
    ['retention', { retention: 'workqueue' }],
    ['discard', { discard: 'old' }],
    ['no_ack', { no_ack: true }],
    ['deny_delete', { deny_delete: false }],
    ['deny_purge', { deny_purge: false }],
    ['max_age', { max_age: 3_600_000_000_000 }],
    ['max_msgs', { max_msgs: 1000 }],
    ['max_msgs_per_subject', { max_msgs_per_subject: 10 }],
    ['max_msg_size', { max_msg_size: 4096 }],
    ['subjects', { subjects: ['agentstration.journal.v1.>', 'elsewhere'] }],
    ['mirror', { mirror: { name: 'ORIGIN' }, subjects: [] }],
    ['sources', { sources: [{ name: 'ORIGIN' }] }],
  ] as [string, Partial<StreamConfig>][])(verifies('JVER-001', 'does not verify a Journal with another %s'), async (property, change) => {
    const { name, subjects, ...config } = (await manager.streams.info(streams.journal)).config;
    await manager.streams.delete(streams.journal);
    await manager.streams.add({ name: 'ORIGIN', subjects: ['origin'] });
    await manager.streams.add({ ...config, name, subjects, ...change });
    const { status } = await start();
    expect(status.verified).toBe(false);
    expect(status.reasons.some((reason) => reason.startsWith(`AGENTSTRATION_JOURNAL: ${property} is `))).toBe(true);
  });

  it(verifies(['JVER-002', 'JVER-003'], 'closes at once when the stream is edited, and opens when that is undone'), async () => {
    const verifier = await start();
    const heard: boolean[] = [];
    verifier.onChange(({ verified }) => heard.push(verified));
    await manager.streams.update(streams.journal, { max_age: 60_000_000_000 });
    await turns(verifier, { verified: false }, 500);
    expect(verifier.status.reasons).toEqual([
      'AGENTSTRATION_JOURNAL: max_age is 60000000000, must be 0. Correct the stream by hand; no service and no provisioning changes it.',
    ]);
    await manager.streams.update(streams.journal, { max_age: 0 });
    await turns(verifier, { verified: true }, 500);
    expect(heard).toEqual([false, true]);
  });

  it(verifies('JVER-002', 'notices within five seconds also what no advisory tells'), async () => {
    const connection = await own.connect();
    const deaf = Object.assign(Object.create(connection) as NatsConnection, {
      subscribe: () => ({ unsubscribe: () => undefined }),
    });
    const verifier = await start({ connection: deaf });
    await manager.streams.update(streams.journal, sealedUpdate);
    await turns(verifier, { verified: false }, 6000);
  });

  it(verifies('JVER-003', 'does not believe an old answer that comes after a newer one'), async () => {
    const connection = await own.connect();
    const { slow, release } = withOneSlowAnswer(connection);
    const verifier = await start({ connection: slow });
    verifier.publishing(0)({ kind: 'refused', reason: 'journal_full', detail: 'makes it look at once' });
    await manager.streams.update(streams.journal, sealedUpdate);
    await turns(verifier, { verified: false });
    await release();
    await pause(50);
    expect(verifier.status.verified).toBe(false);
  });

  it(verifies('JVER-002', 'verifies again after every reconnect'), async () => {
    const verifier = await start();
    await own.server.kill();
    await turns(verifier, { verified: false, reasons: ['The connection to NATS is lost; it is being made again'] });
    expect(await verifier.objection()).toMatch('The connection to NATS is lost');
    await own.server.restart();
    await turns(verifier, { verified: true, reasons: [] }, 5000);
    const { journal } = verifier.status;
    expect(journal?.created).toBe((await eventually(() => manager.streams.info(streams.journal))).created);
  });

  it(verifies('JVER-004', 'closes for good when the broker comes back with fewer facts'), async () => {
    const verifier = await start();
    await append(verifier, 'a', 0);
    const { storeDirectory } = own.server;
    await own.server.kill();
    await cp(storeDirectory, `${storeDirectory}.backup`, { recursive: true });
    await own.server.restart();
    await turns(verifier, { verified: true }, 5000);
    await append(verifier, 'b', 1);
    await own.server.kill();
    await rm(storeDirectory, { recursive: true });
    await cp(`${storeDirectory}.backup`, storeDirectory, { recursive: true });
    await own.server.restart();
    await eventually(
      () => expect(verifier.status.reasons.join()).toMatch(/ends at sequence 1 although it had reached 2: acknowledged facts are lost/),
      { within: 5000 },
    );
    expect(await verifier.objection()).toBeDefined();
  });

  it(verifies('JVER-008', 'does not verify a Journal below the required durability'), async () => {
    const verifier = await start({ requiredDurability: 'power', monitoringUrls: [own.server.monitoringUrl] });
    expect(verifier.status).toMatchObject({ verified: false, durability: 'process' });
    expect(verifier.status.reasons.join()).toMatch(
      /^Journal:RequiredDurability is power, the Journal reaches process: .* acknowledges before it fsyncs/,
    );
  });

  (brokerCanSync ? it : it.skip)(verifies(['JVER-007', 'JVER-008'], 'reads power from a broker that fsyncs always'), async () => {
    await own.stop();
    own = await startJournalServer({ jetStreamConfiguration: 'sync_interval: always' });
    const { status } = await start({ requiredDurability: 'power', monitoringUrls: [own.server.monitoringUrl] });
    expect(status).toMatchObject({ verified: true, reasons: [], durability: 'power' });
  });

  it(verifies('JVER-009', 'names a broker that answers and stores nothing, and forgets it with the next acknowledgement'), async () => {
    const verifier = await start();
    for (let silent = 0; silent < 3; silent += 1) verifier.publishing(0)({ kind: 'unknown', detail: '' });
    await manager.streams.update(streams.journal, { description: 'an advisory' });
    await eventually(() =>
      expect(verifier.status.reasons.join()).toMatch(/^The last 3 publishes were not acknowledged although the broker answers/),
    );
    expect(verifier.status.verified).toBe(true);
    await append(verifier, 'a', 0);
    await turns(verifier, { reasons: [] }, 3000);
  });

  it('makes a writer wait for a check that has a cause instead of refusing it', async () => {
    const { slow, asked, release } = withOneSlowAnswer(await own.connect());
    const verifier = await start({ connection: slow });
    await manager.streams.update(streams.journal, { description: 'an advisory' });
    await eventually(() => expect(asked()).toBe(2));
    const objection = verifier.objection();
    expect(await Promise.race([objection, pause(100, 'waits')])).toBe('waits');
    await release();
    expect(await objection).toBeUndefined();
  });

  it('gives no writer a connection that is lost, also before it is made again', async () => {
    const verifier = await start({ connection: await own.connect({ reconnectTimeWait: 60_000 }) });
    await own.server.kill();
    await turns(verifier, { verified: false, reasons: ['The connection to NATS is lost; it is being made again'] }, 1000);
  });

  it('ends', async () => {
    const verifier = await start();
    await verifier.stop();
    await manager.streams.update(streams.journal, sealedUpdate);
    await admin.flush();
    expect(verifier.status.verified).toBe(true);
  });
});

/** A connection on which the answer to the second question arrives only when released. */
function withOneSlowAnswer(connection: NatsConnection): { slow: NatsConnection; asked: () => number; release: () => Promise<void> } {
  let questions = 0;
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let late: Promise<unknown> = Promise.resolve();
  const request: NatsConnection['request'] = async (subject, payload, options) => {
    const answer = connection.request(subject, payload, options);
    if ((questions += 1) !== 2) return answer;
    late = answer;
    await Promise.all([answer, gate]);
    return answer;
  };
  const release = async (): Promise<void> => {
    open();
    await late;
  };
  return { slow: Object.assign(Object.create(connection) as NatsConnection, { request }), asked: () => questions, release };
}
