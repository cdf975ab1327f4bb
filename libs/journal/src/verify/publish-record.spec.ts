import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import type { AppendOutcome } from '@agentstration/governance';
import { PublishRecord } from './publish-record.ts';

const unknown: AppendOutcome = { kind: 'unknown', detail: '' };
const refused = (reason: 'journal_full' | 'unavailable' | 'wrong_last_sequence'): AppendOutcome => ({
  kind: 'refused',
  reason,
  detail: '',
});
const acknowledged: AppendOutcome = { kind: 'acknowledged', acknowledgement: { stream: '', sequence: 1, duplicate: false, floor: 0 } };

describe('PublishRecord', () => {
  const after = (...outcomes: AppendOutcome[]): PublishRecord => {
    const record = new PublishRecord();
    for (const outcome of outcomes) record.heard(outcome, 0);
    return record;
  };

  it.each([
    ['two time-outs', [unknown, unknown], 0],
    ['three in a row', [unknown, unknown, unknown], 3],
    ['three with an answer between', [unknown, unknown, acknowledged, unknown], 0],
    ['three with a refusal between', [unknown, unknown, refused('wrong_last_sequence'), unknown], 0],
    ['three with one that was never sent between', [unknown, unknown, refused('unavailable'), unknown], 3],
  ])(verifies('JVER-009', 'after %s'), (_what, outcomes, expected) => {
    expect(after(...outcomes).unanswered(1)).toBe(expected);
  });

  it(verifies('JVER-009', 'says nothing about a broker that it left alone for a minute'), () => {
    expect(after(unknown, unknown, unknown).unanswered(60_000)).toBe(0);
  });

  it(verifies('JVER-005', 'remembers a refusal for want of room until told to forget it'), () => {
    const record = after(refused('journal_full'), acknowledged);
    expect(record.refusedAsFull).toBe(true);
    record.forgetRefusal();
    expect(record.refusedAsFull).toBe(false);
  });
});
