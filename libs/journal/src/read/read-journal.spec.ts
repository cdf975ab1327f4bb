import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { streams } from '@agentstration/contracts';
import { JournalUnavailable } from '@agentstration/governance';
import { eventually } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { jetstream, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { type JournalServer, startJournalServer, testSettings } from '../contract-suite/journal-server.ts';
import { provisionStreams } from '../provision/provision-streams.ts';
import { JournalBroken } from './journal-broken.ts';
import { journalState } from './journal-state.ts';
import { type JournalReading, readJournal } from './read-journal.ts';
import type { JournalMessage } from './reading-session.ts';

const subjectOf = (number: number) => `agentstration.journal.v1.acme.demo.runtime.run-${number % 7}.call_${number}`;

describe('readJournal', () => {
  let own: JournalServer;
  let admin: NatsConnection;
  let manager: JetStreamManager;
  const stops: AbortController[] = [];
  beforeEach(async () => {
    own = await startJournalServer();
    admin = await own.connect();
    manager = await jetstreamManager(admin, { timeout: 1000 });
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) stop.abort();
    await own.stop();
  });

  let published = 0;
  const publish = async (count: number): Promise<void> => {
    const client = jetstream(admin);
    const sent = Array.from({ length: count }, () => (published += 1)).map((number) =>
      eventually(() => client.publish(subjectOf(number), `fact ${number}`, { timeout: 1000 }), { within: 10_000 }),
    );
    await Promise.all(sent);
  };
  beforeEach(() => void (published = 0));

  /** Reads in the background. */
  const follow = async (reading: Partial<JournalReading> = {}, connection?: NatsConnection) => {
    const stop = new AbortController();
    stops.push(stop);
    const messages: JournalMessage[] = [];
    const interruptions: Error[] = [];
    const batches: number[] = [];
    const source = readJournal(connection ?? (await own.connect()), {
      from: 1,
      signal: stop.signal,
      onInterruption: (error) => interruptions.push(error),
      ...reading,
    });
    const done = (async () => {
      for await (const batch of source) {
        messages.push(...batch.messages);
        batches.push(batch.messages.length);
      }
    })();
    done.catch(() => undefined);
    const reaches = (sequence: number, within = 5000) => eventually(() => expect(messages.at(-1)?.sequence).toBe(sequence), { within });
    return { messages, batches, interruptions, done, reaches, stop };
  };
  const sequences = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const broken = async (done: Promise<void>): Promise<JournalBroken> => {
    const error = await done.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(JournalBroken);
    return error as JournalBroken;
  };

  it(verifies('JREAD-001', 'gives every message in order, exact, and goes on as the Journal grows'), async () => {
    await publish(2500);
    const { messages, batches, reaches } = await follow();
    await reaches(2500);
    await publish(1);
    await reaches(2501);
    expect(messages.map(({ sequence }) => sequence)).toEqual(sequences(1, 2501));
    const stored = await manager.streams.getMessage(streams.journal, { seq: 2501 });
    const last = messages.at(-1)!;
    expect(last).toMatchObject({ sequence: 2501, subject: stored?.subject });
    expect(Buffer.compare(last.payload, stored!.data)).toBe(0);
    expect(Date.parse(last.timestamp)).toBe(stored!.time.getTime());
    expect(Math.max(...batches)).toBeLessThanOrEqual(500);
  });

  it(verifies('JREAD-001', 'begins where it is told, and names the Journal that it reads'), async () => {
    await publish(10);
    const { created, firstSequence, lastSequence } = await journalState(admin);
    expect([firstSequence, lastSequence]).toEqual([1, 10]);
    const reading = readJournal(admin, { from: 8, created, maximumBatch: 2 });
    const read: number[] = [];
    while (read.length < 3) {
      const batch = (await reading.next()).value!;
      expect(batch.created).toBe(created);
      expect(batch.messages.length).toBeLessThanOrEqual(2);
      read.push(...batch.messages.map(({ sequence }) => sequence));
    }
    expect(read).toEqual([8, 9, 10]);
    await reading.return();
    await eventually(async () => expect((await manager.streams.info(streams.journal)).state.consumer_count).toBe(0));
  });

  it('ends without an error when it is aborted, also while nothing comes', async () => {
    const { done, stop } = await follow();
    await pause(50);
    stop.abort();
    await expect(done).resolves.toBeUndefined();
    await eventually(async () => expect((await manager.streams.info(streams.journal)).state.consumer_count).toBe(0));
  });

  it('ends at once when it is aborted before it begins', async () => {
    const reading = readJournal(admin, { from: 1, signal: AbortSignal.abort() });
    expect(await reading.next()).toEqual({ done: true, value: undefined });
  });

  it('ends when it is aborted while it opens', async () => {
    const { done, stop } = await follow({}, admin);
    // The broker has not answered yet: the consumer is made all the same, and must go again.
    stop.abort();
    await expect(done).resolves.toBeUndefined();
    await eventually(async () => expect((await manager.streams.info(streams.journal)).state.consumer_count).toBe(0));
  });

  it('says when the connection is gone for good', async () => {
    const connection = await own.connect();
    const { done } = await follow({}, connection);
    await connection.close();
    await expect(done).rejects.toThrow(JournalUnavailable);
  });

  it('does not fetch more than a window while the caller is slow', async () => {
    await publish(5000);
    const connection = await own.connect();
    const reading = readJournal(connection, { from: 1 });
    await reading.next();
    const before = connection.stats().inMsgs;
    await pause(300);
    expect(connection.stats().inMsgs - before).toBeLessThan(1100);
    await reading.return();
  });

  it(verifies('JREAD-002', 'goes on after the broker was killed and came back'), async () => {
    await publish(100);
    const { messages, reaches } = await follow();
    await reaches(100);
    await own.server.kill();
    await own.server.restart();
    await publish(100);
    await reaches(published);
    expect(messages.map(({ sequence }) => sequence)).toEqual(sequences(1, published));
  });

  it(verifies('JREAD-002', 'goes on after the broker hung'), async () => {
    await publish(10);
    const { messages, reaches } = await follow();
    await reaches(10);
    await own.server.suspend();
    await pause(1500);
    own.server.resume();
    await publish(10);
    await reaches(published);
    expect(messages.map(({ sequence }) => sequence)).toEqual(sequences(1, published));
  });

  it(verifies('JREAD-002', 'goes on after its consumer was lost under load'), async () => {
    const { messages, interruptions, reaches } = await follow();
    for (let round = 0; round < 5; round += 1) {
      const load = publish(500);
      for await (const consumer of manager.consumers.list(streams.journal)) await manager.consumers.delete(streams.journal, consumer.name);
      await load;
    }
    await reaches(published, 15_000);
    expect(messages.map(({ sequence }) => sequence)).toEqual(sequences(1, published));
    expect(interruptions.length).toBeGreaterThan(0);
  });

  it(verifies('JREAD-002', 'goes on after messages were lost on the way'), async () => {
    const connection = await own.connect();
    const { messages, interruptions, reaches } = await follow(
      {},
      lossy(connection, (count) => count % 50 === 7 && count < 300),
    );
    await publish(400);
    await reaches(400, 10_000);
    expect(messages.map(({ sequence }) => sequence)).toEqual(sequences(1, 400));
    expect(interruptions.map(({ message }) => message).join()).toMatch(/messages were lost on the way/);
  });

  it('waits for a Journal that is not there yet', async () => {
    await manager.streams.delete(streams.journal);
    const { interruptions, reaches } = await follow();
    await eventually(() => expect(interruptions[0]?.message).toMatch(/stream not found/));
    await provisionStreams(admin, testSettings);
    await publish(1);
    await reaches(1);
  });

  /** A Journal that somebody made without its protection. */
  const unprotect = async (): Promise<void> => {
    const { config } = await manager.streams.info(streams.journal);
    await manager.streams.delete(streams.journal);
    await manager.streams.add({ ...config, deny_delete: false, deny_purge: false });
  };

  it(verifies('JREAD-003', 'raises the alarm at a gap, after everything before it'), async () => {
    await unprotect();
    await publish(10);
    await manager.streams.deleteMessage(streams.journal, 6);
    const { messages, done } = await follow();
    const error = await broken(done);
    expect(error).toMatchObject({ kind: 'gap', message: 'The Journal cannot be trusted: sequence 7 follows 5.' });
    expect(messages.map(({ sequence }) => sequence)).toEqual(sequences(1, 5));
  });

  it.each([
    ['begins later', 1, 'gap', 'it begins at sequence 5; 1 is the next to read.'],
    ['ends earlier', 12, 'shorter', 'it ends at sequence 10, although 11 was read from it.'],
  ])(verifies(['JREAD-003', 'JREAD-004'], 'refuses a Journal that %s'), async (_what, from, kind, detail) => {
    await unprotect();
    await publish(10);
    await manager.streams.purge(streams.journal, { seq: 5 });
    const { done } = await follow({ from });
    expect(await broken(done)).toMatchObject({ kind, message: `The Journal cannot be trusted: ${detail}` });
  });

  it(verifies('JREAD-002', 'waits for the new leader of a replicated Journal to catch up'), async () => {
    await publish(10);
    const { interruptions, reaches } = await follow({ from: 11 }, behindAtFirst(await own.connect()));
    await publish(1);
    await reaches(11);
    expect(interruptions.map(({ message }) => message)).toEqual(['it ends at sequence 5, although 10 was read from it.']);
  });

  it(verifies('JREAD-004', 'refuses another Journal than that of the checkpoint'), async () => {
    await publish(10);
    const { done } = await follow({ from: 5, created: '2020-01-01T00:00:00Z' });
    expect(await broken(done)).toMatchObject({ kind: 'recreated' });
  });

  it(verifies('JREAD-004', 'never takes a message of a stream that replaced the Journal while it was read'), async () => {
    await publish(10);
    const { messages, done, reaches } = await follow();
    await reaches(10);
    await manager.streams.delete(streams.journal);
    await provisionStreams(admin, testSettings);
    await publish(30);
    expect(await broken(done)).toMatchObject({ kind: 'recreated' });
    expect(messages).toHaveLength(10);
  });
});

/** A connection on which some of the Journal's messages never arrive. */
function lossy(connection: NatsConnection, loses: (count: number) => boolean): NatsConnection {
  let count = 0;
  const subscribe: NatsConnection['subscribe'] = (subject, options = {}) => {
    const { callback } = options;
    if (!callback) return connection.subscribe(subject, options);
    return connection.subscribe(subject, {
      ...options,
      callback: (error, message) => {
        const isFact = message.subject.startsWith('agentstration.journal.');
        if (!isFact || !loses((count += 1))) return callback(error, message);
      },
    });
  };
  return Object.assign(Object.create(connection) as NatsConnection, { subscribe });
}

/** A connection to three replicas, of which the one that answers first has not all messages yet. */
function behindAtFirst(connection: NatsConnection): NatsConnection {
  let asked = 0;
  const request: NatsConnection['request'] = async (subject, payload, options) => {
    const answer = await connection.request(subject, payload, options);
    if (!subject.startsWith('$JS.API.STREAM.INFO.') || (asked += 1) > 1) return answer;
    const text = answer
      .string()
      .replace(/"last_seq":\d+/, '"last_seq":5')
      .replace('"num_replicas":1', '"num_replicas":3');
    return Object.create(answer, { data: { value: new TextEncoder().encode(text) } }) as typeof answer;
  };
  return Object.assign(Object.create(connection) as NatsConnection, { request });
}
