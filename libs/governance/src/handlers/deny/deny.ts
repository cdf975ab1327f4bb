import { compileSchema, patterns } from '@agentstration/contracts';
import { textSchema } from '../../definitions/validated.ts';
import type { HookHandler } from '../hook-handler.ts';

/** What the `deny` handler is told: exactly this. */
export interface DenyConfiguration {
  /** Stable, for machines: it is recorded. */
  readonly code: string;
  /** For people: it reaches the caller and nobody else. */
  readonly message: string;
}

const configurationSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['code', 'message'],
  properties: {
    code: {
      type: 'string',
      pattern: patterns.code,
      description: '1 to 128 letters, digits, dots, underscores and hyphens, a letter or digit first',
    },
    message: textSchema(2048),
  },
} as const;

/** Denies every call that the hook's selector matches. */
export const deny: HookHandler = {
  name: 'deny',
  configurationSchema,
  validateConfiguration: compileSchema(configurationSchema),
  evaluate(configuration) {
    const { code, message } = configuration as unknown as DenyConfiguration;
    return { decision: 'Denied', code, message };
  },
};
