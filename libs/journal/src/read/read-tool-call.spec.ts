import { describe, expect, it } from '@jest/globals';
import { toolCallJournalSubject } from '@agentstration/contracts';
import { encodeFact, JournalUnavailable } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { sampleCall, sampleFact } from '../contract-suite/sample-facts.ts';
import type { JournalRecord } from './read-stored-message.ts';
import { type ReadMessage, readToolCallFacts } from './read-tool-call.ts';

const call = sampleCall(1);
const subject = toolCallJournalSubject(call);
const record = (sequence: number, previousSequence: number, over: Partial<JournalRecord> = {}): JournalRecord => ({
  ...{ sequence, previousSequence, subject, payload: encodeFact(sampleFact(call, `fact-${sequence}`)) },
  ...over,
});

/** A Journal that holds these messages; also counts how often it was asked. */
function holding(...records: JournalRecord[]): { read: ReadMessage; asked: () => number } {
  let asked = 0;
  const read: ReadMessage = (query) => {
    asked += 1;
    const found =
      'seq' in query ? records.find(({ sequence }) => sequence === query.seq) : records.findLast((each) => each.subject === subject);
    return Promise.resolve(found);
  };
  return { read, asked: () => asked };
}

describe('readToolCallFacts', () => {
  it(verifies('JRNL-004', 'follows the fences back to the first fact, with one read for each'), async () => {
    const { read, asked } = holding(record(3, 0), record(8, 3), record(11, 8));
    expect((await readToolCallFacts(read, call)).map(({ sequence, previousSequence }) => [sequence, previousSequence])).toEqual([
      [3, 0],
      [8, 3],
      [11, 8],
    ]);
    expect(asked()).toBe(3);
  });

  it.each([
    ['is not there', [record(8, 3)], 'message 8 names message 3 as the one before it, which is not there'],
    ['is not before it', [record(8, 8)], 'message 8 names message 8 as the one before it, which is not before it'],
    ['belongs to another call', [record(3, 0, { subject: `${subject}x` }), record(8, 3)], 'which belongs to another subject'],
  ])(verifies('JRNL-006', 'does not accept a chain whose link %s'), async (_what, records, detail) => {
    const outcome = readToolCallFacts(holding(...records).read, call);
    await expect(outcome).rejects.toThrow(detail);
    await expect(outcome).rejects.toBeInstanceOf(JournalUnavailable);
  });

  it.each([
    ['run', { runId: 'run-2' }],
    ['owner kind', { ownerKind: 'FlowRun' as const }],
    ['call', { toolCallId: 'call_2' }],
  ])(verifies('JRNL-006', 'does not accept a fact that names another %s than its subject'), async (_what, other) => {
    const payload = encodeFact(sampleFact({ ...call, ...other }, 'x'));
    await expect(readToolCallFacts(holding(record(1, 0, { payload })).read, call)).rejects.toThrow(
      'is a fact of something else than its subject',
    );
  });

  it('never quotes what it could not understand', async () => {
    const payload = new TextEncoder().encode('{"type":"io.agentstration.ToolExecutionStarted.v1","data":"s3cret"}');
    const error: unknown = await readToolCallFacts(holding(record(1, 0, { payload })).read, call).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/message 1 is not a fact/);
    expect(String(error)).not.toMatch(/s3cret/);
  });
});
