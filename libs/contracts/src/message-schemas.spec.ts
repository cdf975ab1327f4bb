import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { cancelRequestSchema, deadLetterSchema, toolResultSchema } from './message-schemas.ts';
import type { CancelRequest, DeadLetter, ToolResult } from './requests.ts';
import { compileSchema } from './schema.ts';

const succeeded: ToolResult = {
  ownerKind: 'RuntimeRun',
  runId: 'run-42',
  toolCallId: 'call_9',
  requestId: 'req-1',
  invocationId: '0193f1f4-5a00-7000-8000-000000000001',
  attempt: 1,
  outcome: 'Succeeded',
  durationMs: 12.4,
  result: { content: [], isError: false },
  resultOmitted: null,
  failure: null,
};
const denied: ToolResult = {
  ...succeeded,
  outcome: 'Denied',
  result: null,
  failure: { kind: 'Denied', code: 'no', message: 'No.', hookId: 'managed:default/x' },
};
const cancel: CancelRequest = { ownerKind: 'FlowRun', runId: 'f-1', toolCallId: 'call_9' };
const letter: DeadLetter = { reason: 'Not JSON', size: 3, sha256: 'a'.repeat(64), receivedAt: '2026-12-01T00:00:00.000Z', runId: 'run-42' };

describe('the schemas of messages', () => {
  it.each([
    ['a result', toolResultSchema, succeeded],
    ['a failure', toolResultSchema, denied],
    ['a result that was lost', toolResultSchema, { ...succeeded, result: null, resultOmitted: 'lost' }],
    ['a cancellation', cancelRequestSchema, cancel],
    ['a dead letter', deadLetterSchema, letter],
  ])(verifies('WIRE-013', 'take %s'), (_, schema, message) => expect(compileSchema(schema)(message)).toEqual([]));

  it.each([
    ['a result without an outcome', toolResultSchema, { ...succeeded, outcome: undefined }],
    ['a result in other words', toolResultSchema, { ...succeeded, outcome: 'succeeded' }],
    ['a failure of another kind', toolResultSchema, { ...denied, failure: { ...denied.failure, kind: 'Error' } }],
    ['a cancellation of everything', cancelRequestSchema, {}],
    ['a cancellation that names a workspace', cancelRequestSchema, { ...cancel, workspaceId: 'other' }],
    ['a dead letter without a hash', deadLetterSchema, { ...letter, sha256: '' }],
  ])(verifies('WIRE-013', 'do not take %s'), (_, schema, message) => {
    const document = JSON.parse(JSON.stringify(message)) as unknown;
    expect(compileSchema(schema)(document)).not.toEqual([]);
  });
});
