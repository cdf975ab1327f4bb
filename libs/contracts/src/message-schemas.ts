import { patterns } from './identities.ts';

const id = { type: 'string', pattern: patterns.id };
const ownerKind = { enum: ['RuntimeRun', 'FlowRun'] };

/** JSON Schema (2020-12) of what requesters receive. Readers are tolerant: fields may be added. */
export const toolResultSchema = {
  $id: 'https://agentstration.io/schemas/tool-result.v1.json',
  type: 'object',
  required: ['invocationId', 'attempt', 'outcome', 'durationMs', 'result', 'resultOmitted', 'failure'],
  properties: {
    ownerKind,
    runId: id,
    toolCallId: id,
    requestId: id,
    invocationId: { type: ['string', 'null'], description: 'Null when no attempt was started.' },
    attempt: { type: 'integer', minimum: 0 },
    outcome: { enum: ['Succeeded', 'Failed', 'Denied', 'Cancelled', 'Unknown'] },
    durationMs: { type: 'number', minimum: 0 },
    result: { type: ['object', 'null'], description: 'The CallToolResult of the provider, as it came.' },
    resultOmitted: { enum: ['lost', 'too_large', null], description: 'Why the outcome stands but its result is not here.' },
    failure: {
      type: ['object', 'null'],
      required: ['kind', 'code', 'message'],
      properties: {
        kind: { enum: ['Denied', 'Hook', 'Provider', 'Cancelled', 'Rejected'] },
        code: { type: 'string', pattern: patterns.code },
        message: { type: 'string', description: 'For people.' },
        hookId: { type: 'string' },
      },
    },
  },
} as const;

/** JSON Schema (2020-12) of a cancellation. */
export const cancelRequestSchema = {
  $id: 'https://agentstration.io/schemas/cancel-request.v1.json',
  type: 'object',
  additionalProperties: false,
  required: ['ownerKind', 'runId'],
  properties: { ownerKind, runId: id, toolCallId: id },
} as const;

/** JSON Schema (2020-12) of what is kept of a message that could not be understood. */
export const deadLetterSchema = {
  $id: 'https://agentstration.io/schemas/dead-letter.v1.json',
  type: 'object',
  required: ['reason', 'size', 'sha256', 'receivedAt'],
  properties: {
    reason: { type: 'string', maxLength: 4096, description: 'Names faults by JSON pointer; quotes no value and no argument.' },
    size: { type: 'integer', minimum: 0 },
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    receivedAt: { type: 'string', format: 'date-time' },
    ownerKind,
    runId: id,
    toolCallId: id,
    requestId: id,
  },
} as const;
