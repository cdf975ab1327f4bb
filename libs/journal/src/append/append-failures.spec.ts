import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { streams, toolCallJournalSubject } from '@agentstration/contracts';
import { type AppendOutcome, encodeFact, judgeAcknowledgement, recordFact } from '@agentstration/governance';
import { eventually } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { type JournalServer, type Writer, startJournalServer, testSettings } from '../contract-suite/journal-server.ts';
import { sampleCall, sampleFact } from '../contract-suite/sample-facts.ts';
import { provisionStreams } from '../provision/provision-streams.ts';

const call = sampleCall(1);
const subject = toolCallJournalSubject(call);
const toRecord = (id: string, expectedLastSequence: number) => ({ subject, fact: sampleFact(call, id), expectedLastSequence });

describe('an append that fails', () => {
  let own: JournalServer;
  let writer: Writer;
  let admin: NatsConnection;
  let manager: JetStreamManager;

  const start = async (settings = testSettings): Promise<void> => {
    own = await startJournalServer({}, settings);
    writer = await own.writer();
    admin = await own.connect();
    manager = await jetstreamManager(admin, { timeout: 500 });
  };
  beforeEach(() => start());
  afterEach(() => own.stop());

  const append = (id: string, fence = 0): Promise<AppendOutcome> =>
    writer.journal.append({ subject, payload: encodeFact(sampleFact(call, id)), expectedLastSequence: fence });
  /** What a client sends while it reconnects may be dropped. */
  const stored = () => eventually(async () => (await manager.streams.info(streams.journal)).state.messages);
  const verified = () =>
    eventually(() => expect(writer.verifier.status).toMatchObject({ verified: true, reasons: [] }), { within: 10_000 });
  /** A writer that is never told what happens to the stream: the last line of defence is the acknowledgement itself. */
  const goBlind = () => writer.verifier.stop();

  it(verifies(['JRNL-010', 'JRNL-011'], 'is unknown when the broker hangs, and lands when it wakes up'), async () => {
    await own.server.suspend();
    const outcome = await append('late');
    own.server.resume();
    expect(outcome).toEqual({ kind: 'unknown', detail: 'no acknowledgement in time' });
    await eventually(async () => expect((await writer.journal.readToolCall(call)).map(({ fact }) => fact.id)).toEqual(['late']), {
      within: 5000,
    });
    await verified();
    expect(await append('other')).toMatchObject({ kind: 'refused', reason: 'wrong_last_sequence' });
    expect(await recordFact(writer.journal, toRecord('late', 0))).toMatchObject({ kind: 'recorded' });
    expect(await recordFact(writer.journal, toRecord('other', 0))).toEqual({ kind: 'fenced' });
  });

  it(verifies('JRNL-010', 'is unknown when the broker dies over it'), async () => {
    await own.server.suspend();
    const outcome = append('lost');
    await own.server.kill();
    expect(await outcome).toMatchObject({ kind: 'unknown' });
    await own.server.restart();
    await verified();
    expect(await stored()).toBe(0);
  });

  it(verifies('JRNL-013', 'is refused while the broker is away, and never waits in the client for its return'), async () => {
    await own.server.kill();
    await eventually(() => expect(writer.verifier.status.verified).toBe(false), { within: 5000 });
    const outcomes = await Promise.all(['a', 'b', 'c'].map((id) => append(id)));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'refused', reason: 'not_verified' });
    await expect(writer.journal.readLast(subject)).rejects.toThrow('The Journal cannot be read: The connection to NATS is lost');
    await own.server.restart();
    await verified();
    expect(await stored()).toBe(0);
    expect(await append('a')).toMatchObject({ kind: 'acknowledged' });
  });

  it(verifies('JVER-003', 'is refused after the stream was deleted, which nobody makes again'), async () => {
    await append('a');
    await manager.streams.delete(streams.journal);
    await eventually(() => expect(writer.verifier.status.verified).toBe(false), { within: 2000 });
    const outcome = await append('b');
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'not_verified' });
    expect(writer.verifier.status.reasons).toEqual([
      'There is no stream AGENTSTRATION_JOURNAL. It was there before: restore it from a backup.',
    ]);
    await expect(manager.streams.info(streams.journal)).rejects.toThrow('stream not found');
  });

  it(verifies('JRNL-010', 'is refused when nobody listens any more'), async () => {
    await goBlind();
    await manager.streams.delete(streams.journal);
    expect(await append('a')).toEqual({ kind: 'refused', reason: 'unavailable', detail: 'no stream answers on this subject' });
  });

  const recreate = async (): Promise<void> => {
    await manager.streams.delete(streams.journal);
    await provisionStreams(admin, testSettings);
  };

  it(verifies(['JRNL-014', 'JVER-003'], 'is refused for good after the stream was recreated'), async () => {
    await append('a');
    await recreate();
    await eventually(() => expect(writer.verifier.status.reasons[0]).toMatch(/^The Journal was recreated: /), { within: 2000 });
    expect(await append('b')).toMatchObject({ kind: 'refused', reason: 'not_verified' });
    expect(await stored()).toBe(0);
  });

  it(verifies('JRNL-014', 'is not taken for recorded by a writer that was not told of the new stream'), async () => {
    await append('a');
    await goBlind();
    await recreate();
    const outcome = await append('b');
    expect(outcome).toMatchObject({ kind: 'acknowledged', acknowledgement: { sequence: 1, floor: 1 } });
    expect(outcome.kind === 'acknowledged' && judgeAcknowledgement(outcome.acknowledgement)).toEqual({
      good: false,
      reason: 'not_above_floor',
    });
  });

  it(verifies('JRNL-014', 'is not taken for recorded when others had filled the stream that is gone'), async () => {
    const other = await own.writer();
    await recordFact(other.journal, toRecord('of another process', 0));
    const late = await own.writer();
    await late.verifier.stop();
    await recreate();
    expect(await recordFact(late.journal, toRecord('first of this process', 0))).toMatchObject({ kind: 'refused' });
  });

  it(verifies(['JVER-003', 'JRNL-010'], 'is refused by a sealed stream'), async () => {
    await manager.streams.update(streams.journal, { sealed: true } as object);
    await eventually(() => expect(writer.verifier.status.reasons.join()).toMatch(/AGENTSTRATION_JOURNAL: sealed is true, must be false/), {
      within: 2000,
    });
    expect(await append('a')).toMatchObject({ kind: 'refused', reason: 'not_verified' });
  });

  it(verifies('JRNL-010', 'is refused by a sealed stream of which the writer was not told'), async () => {
    await goBlind();
    await manager.streams.update(streams.journal, { sealed: true } as object);
    expect(await append('a')).toMatchObject({ kind: 'refused', reason: 'error' });
  });

  it(verifies('JRNL-014', 'is unknown when the Journal was found changed before its acknowledgement came'), async () => {
    let arrive = (): void => undefined;
    const held = new Promise<void>((resolve) => (arrive = resolve));
    const connection = await own.connect();
    const request: NatsConnection['request'] = async (asked, payload, options) => {
      const answer = await connection.request(asked, payload, options);
      if (asked === subject) await held;
      return answer;
    };
    writer = await own.writer({ connection: Object.assign(Object.create(connection) as NatsConnection, { request }) });
    const outcome = append('a');
    await eventually(async () => expect(await stored()).toBe(1));
    await manager.streams.update(streams.journal, { max_age: 60_000_000_000 });
    await eventually(() => expect(writer.verifier.status.verified).toBe(false), { within: 2000 });
    arrive();
    expect(await outcome).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('found changed') as unknown });
  });

  it(verifies('JRNL-010', 'is refused when another stream has the subjects'), async () => {
    await goBlind();
    await manager.streams.delete(streams.journal);
    await manager.streams.add({ name: 'SQUATTER', subjects: ['agentstration.journal.v1.>'] });
    expect(await append('a')).toMatchObject({ kind: 'refused', reason: 'error' });
    expect((await manager.streams.info('SQUATTER')).state.messages).toBe(0);
  });

  it(verifies(['JRNL-010', 'JRNL-012'], 'is sent once, and unknown, when somebody listens and does not answer'), async () => {
    await goBlind();
    await manager.streams.delete(streams.journal);
    let heard = 0;
    admin.subscribe(subject, { callback: () => void (heard += 1) });
    await admin.flush();
    expect(await append('a')).toMatchObject({ kind: 'unknown' });
    await admin.flush();
    expect(heard).toBe(1);
  });

  it.each(['', '+OK', '{}', '{"stream":"","seq":1}', '{"error":{"code":500,"err_code":10077,"description":"disk on fire"}}'])(
    verifies('JRNL-010', 'is never taken for recorded when the answer is %j'),
    async (answer) => {
      await goBlind();
      await manager.streams.delete(streams.journal);
      admin.subscribe(subject, { callback: (_error, message) => void message.respond(answer) });
      await admin.flush();
      const outcome = await recordFact(writer.journal, toRecord('a', 0));
      expect(['unknown', 'refused']).toContain(outcome.kind);
    },
  );

  it(verifies(['JVER-005', 'JVER-006', 'JRNL-010'], 'is refused by a full Journal, which heals when it is raised'), async () => {
    await own.stop();
    const settings = { ...testSettings, journalMaximumBytes: 40_000 };
    await start(settings);
    const payload = encodeFact(sampleFact(call, 'x'.repeat(9_000)));
    let fence = 0;
    let outcome = await writer.journal.append({ subject, payload, expectedLastSequence: fence });
    while (outcome.kind === 'acknowledged') {
      fence = outcome.acknowledgement.sequence;
      outcome = await writer.journal.append({ subject, payload, expectedLastSequence: fence });
    }
    expect(outcome).toMatchObject({ kind: 'refused', reason: 'journal_full' });
    expect(writer.verifier.acceptsNewAttempts()).toBe(false);
    await eventually(
      () =>
        expect(writer.verifier.status.reasons.join()).toMatch(/^The Journal is full but for its reserve: .* Raise Journal:MaximumBytes/),
      {
        within: 2000,
      },
    );
    expect(writer.verifier.status.verified).toBe(true);
    await provisionStreams(admin, { ...settings, journalMaximumBytes: 4_000_000 });
    await eventually(() => expect(writer.verifier.acceptsNewAttempts()).toBe(true), { within: 5000 });
    expect(await writer.journal.append({ subject, payload, expectedLastSequence: fence })).toMatchObject({ kind: 'acknowledged' });
  });

  it(verifies('JVER-005', 'makes the verifier look again before the next look is due, once much was appended'), async () => {
    await own.stop();
    await start({ ...testSettings, journalMaximumBytes: 4_000_000 });
    const payload = encodeFact(sampleFact(call, 'x'.repeat(30_000)));
    for (let fence = 0; fence < 10; fence += 1) await writer.journal.append({ subject, payload, expectedLastSequence: fence });
    await eventually(
      () => {
        expect(writer.verifier.status.journal?.bytes).toBeGreaterThan(300_000);
        expect(writer.verifier.roomForAttempts(0)).toBeGreaterThan(0);
      },
      { within: 3000 },
    );
  });
});
