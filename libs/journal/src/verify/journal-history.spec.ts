import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { JournalHistory } from './journal-history.ts';

const created = '2026-12-01T00:00:00.123456789Z';
const state = (lastSequence: number, over: { created?: string; replicas?: number } = {}) => ({
  ...{ created, firstSequence: 1, lastSequence, messages: lastSequence, bytes: 0, maximumBytes: -1, replicas: 1 },
  ...over,
});

describe('JournalHistory', () => {
  it('keeps to the first Journal that it saw, as long as it grows', () => {
    const history = new JournalHistory();
    expect(history.judge({ state: state(5), floor: 0, now: 0 })).toBeUndefined();
    expect(history.floor).toBe(5);
    history.reached(9);
    expect(history.judge({ state: state(9), floor: 9, now: 1 })).toBeUndefined();
  });

  it('compares with what was known when the question was asked', () => {
    const history = new JournalHistory();
    history.judge({ state: state(5), floor: 0, now: 0 });
    history.reached(6);
    expect(history.judge({ state: state(5), floor: 5, now: 1 })).toBeUndefined();
  });

  it.each([Number.NaN, 1.5, Number.MAX_VALUE, -1])('learns nothing from %s, which is no sequence', (sequence) => {
    const history = new JournalHistory();
    history.reached(sequence);
    expect(history.floor).toBe(0);
  });

  it(verifies('JVER-003', 'never forgets that the Journal was recreated, also when the old one comes back'), () => {
    const history = new JournalHistory();
    history.judge({ state: state(5), floor: 0, now: 0 });
    const recreated = history.judge({ state: state(0, { created: '2026-12-02T00:00:00Z' }), floor: 5, now: 1 });
    expect(recreated).toMatch(/recreated: this stream is of 2026-12-02T00:00:00Z, the one before it was of 2026-12-01T00:00:00.123456789Z/);
    expect(history.judge({ state: state(5), floor: 5, now: 2 })).toBe(recreated);
  });

  it(verifies('JVER-004', 'never forgets that the Journal was shortened, also when it grows again'), () => {
    const history = new JournalHistory();
    history.judge({ state: state(5), floor: 0, now: 0 });
    const shorter = history.judge({ state: state(4), floor: 5, now: 1 });
    expect(shorter).toMatch(/ends at sequence 4 although it had reached 5: acknowledged facts are lost/);
    expect(history.judge({ state: state(50), floor: 5, now: 2 })).toBe(shorter);
  });

  it(verifies('JVER-004', 'gives a replicated Journal the time of an election, with the gate closed'), () => {
    const history = new JournalHistory();
    const at = (lastSequence: number, now: number) =>
      history.judge({ state: state(lastSequence, { replicas: 3 }), floor: history.floor, now });
    at(5, 0);
    expect(at(4, 1_000)).toMatch(/waiting for its new leader/);
    expect(at(5, 3_000)).toBeUndefined();
    expect(at(4, 60_000)).toMatch(/waiting for its new leader/);
    expect(at(4, 70_000)).toMatch(/acknowledged facts are lost/);
    expect(at(5, 71_000)).toMatch(/acknowledged facts are lost/);
  });
});
