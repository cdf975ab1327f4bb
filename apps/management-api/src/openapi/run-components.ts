import { patterns } from '@agentstration/contracts';

const id = { type: 'string', pattern: patterns.id, description: 'Printable ASCII without space; neither . nor ..' } as const;
const toolId = { type: 'string', minLength: 1, maxLength: 382 } as const;
const nullableText = { type: ['string', 'null'] } as const;
const nullableTime = { type: ['string', 'null'], format: 'date-time' } as const;
const object = (properties: Readonly<Record<string, object>>, required: readonly string[]) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const execution = object(
  { persistToolArguments: { type: ['boolean', 'null'], description: 'Null inherits the host’s choice, true retains, false suppresses.' } },
  [],
);

const run = {
  ownerKind: { enum: ['RuntimeRun', 'FlowRun'] },
  runId: id,
  agentId: nullableText,
  principalId: { type: 'string' },
  status: { enum: ['Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled'], description: 'Folded from the journal.' },
  execution: { ...execution, required: ['persistToolArguments'] },
  retryOf: nullableText,
  createdAt: { type: 'string', format: 'date-time' },
  cancelledAt: nullableTime,
  cancelledBy: nullableText,
  toolCalls: {
    type: 'array',
    items: object(
      {
        toolCallId: id,
        toolId,
        requestId: id,
        state: { enum: ['Pending', 'Running', 'Succeeded', 'Failed', 'Denied', 'Cancelled', 'Unknown'] },
        attempts: { type: 'integer', minimum: 0 },
      },
      ['toolCallId', 'toolId', 'requestId', 'state', 'attempts'],
    ),
  },
} as const;

/** The named schemas of Runs. */
export const runComponents: Readonly<Record<string, object>> = {
  Run: object(run, Object.keys(run)),
  RunList: object({ items: { type: 'array', items: { $ref: '#/components/schemas/Run' } }, continue: { type: ['string', 'null'] } }, [
    'items',
    'continue',
  ]),
  RunOrder: {
    ...object(
      {
        runId: id,
        ownerKind: { enum: ['RuntimeRun', 'FlowRun'] },
        agentId: { type: 'string', pattern: patterns.agentId },
        toolCalls: { type: 'array', minItems: 1, maxItems: 100, items: object({ toolId, arguments: { type: 'object' } }, ['toolId']) },
        execution,
      },
      [],
    ),
    description:
      'With `toolCalls` a manual runtime run (`agentId` required); with `ownerKind` and without them the registration of a run executed elsewhere (`runId` required).',
  },
  RunRetry: object(
    {
      runId: id,
      toolCalls: {
        type: ['array', 'null'],
        maxItems: 100,
        description: 'Arguments given again: for the call named by `toolCallId`, else for the call at the same place.',
        items: object({ toolCallId: { type: 'string' }, toolId, arguments: { type: 'object' } }, []),
      },
    },
    [],
  ),
};
