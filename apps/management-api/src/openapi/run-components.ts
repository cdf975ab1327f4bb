import { executionSchema, pathSafeId, runOrderSchema, toolIdSchema } from '../create-run/run-order-schema.ts';
import { runRetrySchema } from '../retry-run/run-retry-schema.ts';

const nullableText = { type: ['string', 'null'] } as const;
const nullableTime = { type: ['string', 'null'], format: 'date-time' } as const;
const object = (properties: Readonly<Record<string, object>>, required: readonly string[]) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

const run = {
  ownerKind: { enum: ['RuntimeRun', 'FlowRun'] },
  runId: pathSafeId,
  agentId: nullableText,
  principalId: { type: 'string' },
  status: { enum: ['Pending', 'Running', 'Succeeded', 'Failed', 'Cancelled'], description: 'Folded from the journal.' },
  execution: { ...executionSchema, required: ['persistToolArguments'] },
  retryOf: nullableText,
  createdAt: { type: 'string', format: 'date-time' },
  cancelledAt: nullableTime,
  cancelledBy: nullableText,
  toolCalls: {
    type: 'array',
    items: object(
      {
        toolCallId: pathSafeId,
        toolId: toolIdSchema,
        requestId: pathSafeId,
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
    ...runOrderSchema,
    description:
      'With `toolCalls` a manual runtime run (`agentId` required); with `ownerKind` and without them the registration of a run executed elsewhere (`runId` required).',
  },
  RunRetry: runRetrySchema,
};
