import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ToolCallKey, runJournalSubject, streams, toolCallJournalSubject } from '@agentstration/contracts';
import { type AppendOutcome, type Journal, JournalUnavailable, encodeFact, judgeAcknowledgement } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { appendsFromSeveralWriters } from './appends-from-several-writers.ts';
import { sampleCall, sampleFact } from './sample-facts.ts';

/** One adapter with an empty Journal, and a second writer of it. */
export interface JournalUnderTest {
  readonly journal: Journal;
  /** Another process's view of the same Journal. */
  readonly other: Journal;
  /** Stores bytes on a subject without a fence; answers their sequence. */
  storeUnfenced(subject: string, payload: Uint8Array): Promise<number>;
  dispose(): Promise<void>;
}

/** The tests that every {@link Journal} must pass. `runs` bounds the generated interleavings. */
export function journalContract(name: string, start: () => Promise<JournalUnderTest>, runs: number): void {
  describe(`${name} as a Journal`, () => {
    let under: JournalUnderTest;
    const call = sampleCall(1);
    const subject = toolCallJournalSubject(call);
    beforeEach(async () => void (under = await start()));
    afterEach(() => under.dispose());

    const append = (payload: Uint8Array, expectedLastSequence: number, journal = under.journal) =>
      journal.append({ subject, payload, expectedLastSequence });
    const appendFact = (id: string, fence: number, of: ToolCallKey = call) =>
      under.journal.append({ subject: toolCallJournalSubject(of), payload: encodeFact(sampleFact(of, id)), expectedLastSequence: fence });

    it(verifies('JRNL-001', 'acknowledges a fact from the Journal, with its sequence'), async () => {
      const outcome = await appendFact('a', 0);
      expect(outcome).toMatchObject({ kind: 'acknowledged', acknowledgement: { stream: streams.journal, duplicate: false } });
      expect(goodSequence(outcome)).toBeGreaterThan(0);
    });

    it(verifies('JRNL-002', 'knows at every publish how far the Journal had come'), async () => {
      const first = goodSequence(await appendFact('a', 0));
      const second = await appendFact('b', first);
      expect(second).toMatchObject({ acknowledgement: { floor: first } });
      expect(goodSequence(second)).toBeGreaterThan(first);
    });

    it(verifies('JRNL-003', 'refuses a fact whose fence is lost, and stores nothing'), async () => {
      const first = goodSequence(await appendFact('a', 0));
      for (const fence of [0, first + 1])
        expect(await appendFact('late', fence)).toMatchObject({ kind: 'refused', reason: 'wrong_last_sequence' });
      expect(await ids()).toEqual(['a']);
    });

    it(verifies('JRNL-003', 'lets one of two processes win the same place'), async () => {
      const payloads = ['ours', 'theirs'].map((id) => encodeFact(sampleFact(call, id)));
      const outcomes = await Promise.all([append(payloads[0]!, 0), append(payloads[1]!, 0, under.other)]);
      expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['acknowledged', 'refused']);
    });

    it(verifies('JRNL-004', 'reads the facts of a call in order, each with the one before it'), async () => {
      const a = goodSequence(await appendFact('a', 0));
      goodSequence(await appendFact('elsewhere', 0, sampleCall(2)));
      const b = goodSequence(await appendFact('b', a));
      const facts = await under.other.readToolCall(call);
      expect(facts.map(({ sequence, previousSequence, fact }) => [sequence, previousSequence, fact.id])).toEqual([
        [a, 0, 'a'],
        [b, a, 'b'],
      ]);
      expect(facts[0]?.fact).toEqual(sampleFact(call, 'a'));
    });

    it(verifies('JRNL-004', 'has no facts of a call that it does not know, nor a last message'), async () => {
      expect(await under.journal.readToolCall(call)).toEqual([]);
      expect(await under.journal.readLast(subject)).toBeUndefined();
    });

    it(verifies('JRNL-005', 'gives back the exact bytes of the last message'), async () => {
      const payload = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256);
      const sequence = goodSequence(await append(payload, 0));
      const last = await under.other.readLast(subject);
      expect(last).toMatchObject({ sequence, previousSequence: 0 });
      expect(Buffer.compare(last!.payload, payload)).toBe(0);
    });

    it.each([
      ['bytes that are not JSON', new Uint8Array([0xff, 0x00])],
      ['a fact of a version to come', encodeFact({ ...sampleFact(call, 'x'), type: 'io.agentstration.ToolExecutionStarted.v2' as never })],
      ['a fact of another call', encodeFact(sampleFact(sampleCall(2), 'x'))],
    ])(verifies('JRNL-006', 'decides nothing on a history that holds %s'), async (_what, payload) => {
      const first = goodSequence(await appendFact('a', 0));
      const second = goodSequence(await append(payload, first));
      await appendFact('c', second);
      await expect(under.journal.readToolCall(call)).rejects.toThrow(JournalUnavailable);
    });

    it(verifies('JRNL-006', 'decides nothing on a history that somebody else wrote into'), async () => {
      const first = goodSequence(await appendFact('a', 0));
      const forged = await under.storeUnfenced(subject, encodeFact(sampleFact(call, 'forged')));
      await expect(under.journal.readToolCall(call)).rejects.toThrow(JournalUnavailable);
      await expect(under.journal.readLast(subject)).rejects.toThrow(JournalUnavailable);
      expect(await appendFact('b', first)).toMatchObject({ kind: 'refused', reason: 'wrong_last_sequence' });
      expect(forged).toBeGreaterThan(first);
    });

    it(verifies('JRNL-007', 'refuses a fact that the broker cannot carry'), async () => {
      expect(await append(new Uint8Array(1024 * 1024 + 1), 0)).toMatchObject({ kind: 'refused', reason: 'too_large' });
    });

    it(verifies('JRNL-003', 'keeps the facts of a Run and of calls with unusual ids apart'), async () => {
      const odd = sampleCall(1, { toolCallId: 'functions.lookup:0' });
      const { runId: _, ...run } = call;
      goodSequence(
        await under.journal.append({
          subject: runJournalSubject({ ...run, runId: 'run-1' }),
          payload: encodeFact(sampleFact(call, 'run')),
          expectedLastSequence: 0,
        }),
      );
      goodSequence(await appendFact('a', 0));
      goodSequence(await appendFact('odd', 0, odd));
      expect((await under.journal.readToolCall(odd)).map(({ fact }) => fact.id)).toEqual(['odd']);
      expect(await ids()).toEqual(['a']);
    });

    it(verifies('JRNL-008', 'keeps one unbroken chain per call, with one winner per place, however appends interleave'), () =>
      appendsFromSeveralWriters([under.journal, under.other], runs),
    );

    const ids = async () => (await under.journal.readToolCall(call)).map(({ fact }) => fact.id);
  });
}

function goodSequence(outcome: AppendOutcome): number {
  const verdict = outcome.kind === 'acknowledged' ? judgeAcknowledgement(outcome.acknowledgement) : outcome;
  if (!('good' in verdict) || !verdict.good) throw new Error(`not a good acknowledgement: ${JSON.stringify(outcome)}`);
  return verdict.sequence;
}
