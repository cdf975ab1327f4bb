const text = { type: 'string' } as const;
const nullableText = { type: ['string', 'null'] } as const;
const time = { type: 'string', format: 'date-time' } as const;
const nullableTime = { type: ['string', 'null'], format: 'date-time' } as const;
const number = { type: 'integer', minimum: 1 } as const;
const flag = { type: 'boolean' } as const;
const ownerKind = { enum: ['RuntimeRun', 'FlowRun'] } as const;
const decision = { enum: ['Allowed', 'Denied', 'Failed'] } as const;
const outcomes = ['Succeeded', 'Failed', 'Denied', 'Cancelled', 'Unknown'] as const;
const outcome = { enum: [...outcomes, null], description: 'Null while the attempt runs.' } as const;
const duration = { type: ['number', 'null'], description: 'Milliseconds.' } as const;

export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const listOf = (name: string) => ({ type: 'array', items: reference(name) }) as const;
/** An object whose properties are all there. */
const complete = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []) => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const counts = { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } } as const;
const runPageOf = (name: string) =>
  complete({
    items: listOf(name),
    nextSequence: { type: ['integer', 'null'], description: 'Continue with it as afterSequence; null on the last page.' },
  });

const record = {
  ...{ ownerKind, runId: text, sequence: number, workspaceSequence: number, timestamp: time, toolCallId: text, invocationId: text },
  ...{ attempt: number, toolId: text, toolName: nullableText, providerId: nullableText, externalToolId: nullableText, agentId: text },
  ...{ correlationId: nullableText, arguments: nullableText, argumentsRetained: flag, argumentsTruncated: flag, decision, outcome },
  evaluations: listOf('Evaluation'),
};

const failure = {
  oneOf: [
    complete({ kind: { enum: ['Denied', 'Hook', 'Provider', 'Cancelled', 'Rejected'] }, code: text, errorType: text, final: flag }),
    { type: 'null' },
  ],
};
const lateOutcome = {
  description: 'An outcome that came after the attempt had been closed.',
  oneOf: [complete({ sequence: number, timestamp: time, outcome: { enum: outcomes }, durationMs: duration, failure }), { type: 'null' }],
};

/** JSON Schemas of what the read API answers. */
export const components = {
  Evaluation: complete(
    {
      hook: complete(
        { id: text, order: { type: 'integer' }, source: { enum: ['Local', 'Managed'] }, resourceId: text, resourceGeneration: number },
        ['resourceId', 'resourceGeneration'],
      ),
      decision,
      code: text,
    },
    ['code'],
  ),
  GovernanceRecord: complete(record),
  RunRecords: runPageOf('GovernanceRecord'),
  WorkspaceRecords: complete({
    items: listOf('GovernanceRecord'),
    cursor: { type: ['string', 'null'], description: 'Of the next page; null on the last one.' },
  }),
  AttemptTrace: complete({
    ...{ invocationId: text, attempt: number, requestId: text, toolName: nullableText, providerId: nullableText },
    ...{ externalToolId: nullableText, principalId: nullableText, correlationId: nullableText },
    ...{ startedAt: nullableTime, evaluatedAt: nullableTime, endedAt: nullableTime, decision: { enum: [...decision.enum, null] } },
    ...{ evaluations: listOf('Evaluation'), outcome, durationMs: duration, toolReportedError: flag, failure, lateOutcome },
  }),
  ToolCall: complete({
    ...{ ownerKind, runId: text, toolCallId: text, sequence: number, toolId: text, agentId: text },
    ...{ state: { enum: ['Running', ...outcomes] }, final: flag, attempts: number, startedAt: nullableTime, endedAt: nullableTime },
    ...{ durationMs: duration, failure, latestAttempt: reference('AttemptTrace') },
  }),
  ToolCalls: runPageOf('ToolCall'),
  RunEvent: complete({
    ...{ sequence: number, workspaceSequence: number },
    fact: { type: ['object', 'null'], description: 'A CloudEvents event, as it stands in the Journal.' },
    unreadable: { type: ['string', 'null'], description: 'Why there is no fact.' },
  }),
  RunEvents: runPageOf('RunEvent'),
  ProjectionDeadLetter: complete({
    ...{ journalSequence: number, workspaceSequence: number, subject: text, reason: text, size: { type: 'integer', minimum: 0 } },
    ...{ sha256: text, storedAt: time },
  }),
  ProjectionDeadLetters: runPageOf('ProjectionDeadLetter'),
  Summary: complete({
    ...{ from: time, to: time, bucket: { enum: ['minute', 'hour', 'day'] } },
    buckets: {
      type: 'array',
      items: complete({
        ...{ start: time, total: { type: 'integer' }, decisions: counts, outcomes: counts, tools: counts, agents: counts, hooks: counts },
      }),
    },
  }),
} as const;
