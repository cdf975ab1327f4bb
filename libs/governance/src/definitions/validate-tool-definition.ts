import { type ToolDefinition, compileSchema } from '@agentstration/contracts';
import { type Validated, conclude } from './validated.ts';

/** JSON Schema (2020-12) of the `definition` of a `Tool`: the administrator's settings. */
export const toolDefinitionSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    enabled: { type: 'boolean', default: false },
    delivery: { enum: ['AtLeastOnce', 'AtMostOnce'], default: 'AtLeastOnce' },
    timeoutMs: {
      type: 'integer',
      minimum: 100,
      maximum: 3_600_000,
      default: 60_000,
      description: 'an integer from 100 to 3600000 (milliseconds)',
    },
    retry: {
      type: 'object',
      additionalProperties: false,
      properties: {
        maxAttempts: { type: 'integer', minimum: 1, maximum: 10, default: 1, description: 'an integer from 1 to 10' },
        backoffMs: {
          type: 'integer',
          minimum: 0,
          maximum: 3_600_000,
          default: 1000,
          description: 'an integer from 0 to 3600000 (milliseconds)',
        },
      },
    },
  },
} as const;

const check = compileSchema(toolDefinitionSchema);

/** What a Tool is when nobody has decided otherwise: disabled. */
export const defaultToolDefinition: ToolDefinition = {
  enabled: false,
  delivery: 'AtLeastOnce',
  timeoutMs: 60_000,
  retry: { maxAttempts: 1, backoffMs: 1000 },
};

/** Judges the `definition` of a `Tool`: every fault at once, or the definition with its defaults. Pure and total. */
export function validateToolDefinition(value: unknown): Validated<ToolDefinition> {
  return conclude(check(value), () => {
    const sent = value as Partial<ToolDefinition>;
    return { ...defaultToolDefinition, ...sent, retry: { ...defaultToolDefinition.retry, ...sent.retry } };
  });
}
