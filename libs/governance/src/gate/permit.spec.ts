import { allows, attemptFacts, denies } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import type { Fact } from '@agentstration/contracts';
import fc from 'fast-check';
import type { AppendOutcome, Journal, RecordedFact } from '../ports/journal.ts';
import { judgeAcknowledgement } from './acknowledgement.ts';
import { Permit, openGate } from './permit.ts';
import { recordFact } from './record-fact.ts';

const term = { now: 1_000, lifetimeMs: 3_000 };
const facts = attemptFacts();
const good = { stream: 'AGENTSTRATION_JOURNAL', sequence: 7, duplicate: false, floor: 6 };

/** A journal that answers one append, for the publishing side of the gate. */
const journalThat = (outcome: AppendOutcome): Journal => ({
  append: () => Promise.resolve(outcome),
  readLast: () => Promise.resolve(undefined),
  readToolCall: () => Promise.resolve([]),
});
const recordedBy = async (fact: Fact): Promise<RecordedFact | undefined> => {
  const outcome = await recordFact(journalThat({ kind: 'acknowledged', acknowledgement: good }), {
    subject: 's',
    fact,
    expectedLastSequence: 6,
  });
  return outcome.kind === 'recorded' ? outcome.recorded : undefined;
};

describe('a good acknowledgement', () => {
  it(verifies('GATE-002', 'is from the Journal, no duplicate, and above every sequence acknowledged before'), () => {
    expect(judgeAcknowledgement(good)).toEqual({ good: true, sequence: 7 });
    expect(judgeAcknowledgement({ ...good, stream: 'OTHER' })).toEqual({ good: false, reason: 'wrong_stream' });
    expect(judgeAcknowledgement({ ...good, sequence: 0, duplicate: true })).toEqual({ good: false, reason: 'duplicate' });
    expect(judgeAcknowledgement({ ...good, sequence: 0, floor: 0 })).toEqual({ good: false, reason: 'not_a_sequence' });
    expect(judgeAcknowledgement({ ...good, floor: 7 })).toEqual({ good: false, reason: 'not_above_floor' });
  });

  it(verifies('GATE-002', 'is never any sequence that is not a safe integer above the floor'), () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.double()), fc.nat(), (sequence, floor) => {
        const { good: isGood } = judgeAcknowledgement({ ...good, sequence, floor });
        expect(isGood).toBe(Number.isSafeInteger(sequence) && sequence > floor);
      }),
    );
  });
});

describe('the gate', () => {
  it(verifies('GATE-003', 'opens for a recorded fact whose every evaluation is Allowed, and for none at all'), async () => {
    expect(openGate(await recordedBy(facts.evaluated()), term).open).toBe(true);
    expect(openGate(await recordedBy(facts.evaluated([allows('a'), allows('b')])), term).open).toBe(true);
  });

  it(verifies('GATE-003', 'stays closed for a denial, another fact, an unknown tool, and a fact that nobody recorded'), async () => {
    expect(openGate(await recordedBy(facts.evaluated([allows('a'), denies('b')])), term)).toEqual({ open: false, reason: 'not_allowed' });
    expect(openGate(await recordedBy(facts.started()), term)).toEqual({ open: false, reason: 'not_recorded' });
    expect(openGate(await recordedBy(attemptFacts({ providerId: null }).evaluated()), term)).toEqual({
      open: false,
      reason: 'unknown_tool',
    });
    expect(openGate(undefined, term)).toEqual({ open: false, reason: 'not_recorded' });
    const forged: RecordedFact = { sequence: 7, previousSequence: 6, fact: facts.evaluated() };
    expect(openGate(forged, term)).toEqual({ open: false, reason: 'not_recorded' });
  });

  it(verifies('GATE-003', 'gives a permit that is used once, may resend once, and expires'), async () => {
    const permit = async () => {
      const gate = openGate(await recordedBy(facts.evaluated()), term);
      if (!gate.open) throw new Error('closed');
      return gate.permit;
    };
    const used = await permit();
    expect(used.resend(1_001)).toEqual({ usable: false, reason: 'used' });
    expect(used.use(3_999)).toEqual({ usable: true });
    expect(used.use(1_001)).toEqual({ usable: false, reason: 'used' });
    expect(used.resend(1_001)).toEqual({ usable: true });
    expect(used.resend(1_001)).toEqual({ usable: false, reason: 'used' });
    expect((await permit()).use(4_000)).toEqual({ usable: false, reason: 'expired' });
    expect(() => new Permit(Symbol('permit') as never, used.attempt, Infinity)).toThrow('openGate alone');
  });
});

describe('recording a fact', () => {
  const record = (outcome: AppendOutcome, last?: Uint8Array) => {
    const journal = {
      ...journalThat(outcome),
      readLast: () => Promise.resolve(last && { sequence: 7, previousSequence: 6, payload: last }),
    };
    return recordFact(journal, { subject: 's', fact: facts.evaluated(), expectedLastSequence: 6 });
  };
  const refused: AppendOutcome = { kind: 'refused', reason: 'wrong_last_sequence', detail: '' };

  it(verifies('GATE-005', 'believes a lost fence only where the last message is another one'), async () => {
    expect(await record(refused, new Uint8Array([1]))).toEqual({ kind: 'fenced' });
    expect(await record(refused)).toEqual({ kind: 'fenced' });
    const unread = { ...journalThat(refused), readLast: () => Promise.reject(new Error('down')) };
    expect(await recordFact(unread, { subject: 's', fact: facts.evaluated(), expectedLastSequence: 6 })).toEqual({
      kind: 'unknown',
      detail: 'down',
    });
  });

  it(verifies('GATE-002', 'takes a time-out for unknown, and a bad acknowledgement for no record'), async () => {
    expect(await record({ kind: 'unknown', detail: 'late' })).toEqual({ kind: 'unknown', detail: 'late' });
    expect(await record({ kind: 'acknowledged', acknowledgement: { ...good, floor: 9 } })).toMatchObject({ kind: 'refused' });
  });
});
