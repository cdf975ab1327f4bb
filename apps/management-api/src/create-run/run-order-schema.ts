import { patterns } from '@agentstration/contracts';

/** Ids that a URL path can carry. */
export const pathSafeId = {
  type: 'string',
  pattern: patterns.id,
  not: { enum: ['.', '..'] },
  description: '1 to 128 printable ASCII characters without space, and neither . nor ..',
} as const;

export const toolIdSchema = { type: 'string', minLength: 1, maxLength: 382, description: '1 to 382 characters: the id of a tool' } as const;

/** Options of the execution. They never change afterwards, and a retry copies them. */
export const executionSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    persistToolArguments: {
      type: ['boolean', 'null'],
      description: 'null (the host’s choice), true (retain) or false (suppress)',
    },
  },
} as const;

/** JSON Schema (2020-12) of the body of `POST /api/runs`. */
export const runOrderSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    runId: pathSafeId,
    ownerKind: { enum: ['RuntimeRun', 'FlowRun'] },
    agentId: { type: 'string', pattern: patterns.agentId, description: '1 to 256 printable ASCII characters without space' },
    toolCalls: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      description: 'a list of 1 to 100 tool calls',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['toolId'],
        properties: { toolId: toolIdSchema, arguments: { type: 'object', description: 'an object' } },
      },
    },
    execution: executionSchema,
  },
} as const;
