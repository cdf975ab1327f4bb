import { pathSafeId, toolIdSchema } from '../create-run/run-order-schema.ts';

/** JSON Schema (2020-12) of the body of a retry. All of it is optional: without a body, what was retained is used. */
export const runRetrySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    runId: pathSafeId,
    toolCalls: {
      type: 'array',
      maxItems: 100,
      description: 'a list of arguments given again: for the call named by toolCallId, else for the call at the same place',
      items: {
        type: 'object',
        additionalProperties: false,
        properties: { toolCallId: { type: 'string' }, toolId: toolIdSchema, arguments: { type: 'object', description: 'an object' } },
      },
    },
  },
} as const;
