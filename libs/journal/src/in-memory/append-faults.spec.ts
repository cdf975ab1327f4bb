import { describe, expect, it } from '@jest/globals';
import { toolCallJournalSubject } from '@agentstration/contracts';
import { encodeFact, JournalUnavailable, type RecordOutcome, recordFact } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { sampleCall, sampleFact } from '../contract-suite/sample-facts.ts';
import { type AppendFault, effects } from './append-faults.ts';
import { InMemoryJournal } from './in-memory-journal.ts';

const call = sampleCall(1);
const subject = toolCallJournalSubject(call);
const fact = (id: string, expectedLastSequence = 0) => ({ subject, fact: sampleFact(call, id), expectedLastSequence });

/** What the gate makes of each fault, and whether the fact is there in the end. */
const expected: Readonly<Record<AppendFault, { kind: RecordOutcome['kind']; stored: boolean }>> = {
  timed_out_stored: { kind: 'unknown', stored: true },
  timed_out_not_stored: { kind: 'unknown', stored: false },
  timed_out_held: { kind: 'unknown', stored: false },
  duplicate: { kind: 'fenced', stored: false },
  duplicate_stored: { kind: 'recorded', stored: true },
  duplicate_sequence_zero: { kind: 'fenced', stored: false },
  sequence_zero: { kind: 'refused', stored: false },
  wrong_stream: { kind: 'refused', stored: false },
  recreated: { kind: 'refused', stored: true },
  wrong_last_sequence_stored: { kind: 'recorded', stored: true },
  journal_full: { kind: 'refused', stored: false },
  too_large: { kind: 'refused', stored: false },
  unavailable: { kind: 'refused', stored: false },
  not_verified: { kind: 'refused', stored: false },
  error: { kind: 'refused', stored: false },
};

describe('InMemoryJournal', () => {
  it('has an expectation for every fault', () => {
    expect(Object.keys(expected).sort()).toEqual(Object.keys(effects).sort());
  });

  it.each(Object.entries(expected) as [AppendFault, (typeof expected)[AppendFault]][])(
    verifies(['JRNL-010', 'JRNL-014'], 'plays %s'),
    async (fault, { kind, stored }) => {
      const journal = new InMemoryJournal({ fault: (_append, index) => (index === 1 ? fault : undefined) });
      const before = { ...call, toolCallId: 'before' };
      await recordFact(journal, { subject: toolCallJournalSubject(before), fact: sampleFact(before, 'before'), expectedLastSequence: 0 });
      expect((await recordFact(journal, fact('a'))).kind).toBe(kind);
      expect(journal.messages.some((message) => message.subject === subject)).toBe(stored);
    },
  );

  it(verifies('JRNL-011', 'lets a held fact land later, if its fence still holds'), async () => {
    const journal = new InMemoryJournal({ fault: (_append, index) => (index === 0 ? 'timed_out_held' : undefined) });
    await recordFact(journal, fact('late'));
    expect(journal.landHeld()).toBe(1);
    expect(await recordFact(journal, fact('other'))).toEqual({ kind: 'fenced' });
    const beaten = new InMemoryJournal({ fault: (_append, index) => (index === 0 ? 'timed_out_held' : undefined) });
    await recordFact(beaten, fact('late'));
    await recordFact(beaten, fact('other'));
    expect(beaten.landHeld()).toBe(0);
    expect(beaten.messages.map(({ sequence }) => sequence)).toEqual([1]);
  });

  it('fails the reads that it is told to', async () => {
    const journal = new InMemoryJournal({ readFails: (index) => index === 1 });
    await expect(journal.readLast(subject)).resolves.toBeUndefined();
    await expect(journal.readToolCall(call)).rejects.toThrow(JournalUnavailable);
    await expect(journal.readToolCall(call)).resolves.toEqual([]);
  });

  it('lets a scheduler decide who goes first', async () => {
    const waiting: (() => void)[] = [];
    const journal = new InMemoryJournal({ turn: () => new Promise((resolve) => waiting.push(resolve)) });
    const append = (id: string) => journal.append({ subject, payload: encodeFact(sampleFact(call, id)), expectedLastSequence: 0 });
    const both = [append('first'), append('second')];
    waiting[1]!();
    await Promise.resolve();
    waiting[0]!();
    await Promise.resolve();
    waiting[2]!();
    waiting[3]!();
    expect((await Promise.all(both)).map(({ kind }) => kind)).toEqual(['refused', 'acknowledged']);
  });

  it('keeps what it was given, whatever becomes of the bytes', async () => {
    const journal = new InMemoryJournal();
    const payload = encodeFact(sampleFact(call, 'a'));
    await journal.append({ subject, payload, expectedLastSequence: 0 });
    payload.fill(0);
    expect(await journal.readToolCall(call)).toHaveLength(1);
  });
});
