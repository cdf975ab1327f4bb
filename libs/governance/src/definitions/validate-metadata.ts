import { type Fault, type ResourceKind, type ResourceMetadata, compileSchema, defaultNamespace, patterns } from '@agentstration/contracts';
import { type Validated, conclude } from './validated.ts';

/** What users decide about a resource's metadata; the server adds the rest. */
export type GivenMetadata = Pick<ResourceMetadata, 'name' | 'namespace' | 'labels' | 'annotations'>;

const text = '[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?';
const prefix = '[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?';

const key = {
  pattern: `^(?:${prefix}/)?${text}$`,
  description: 'a name of 1 to 63 letters, digits, dots, underscores and hyphens, if wanted after a DNS name and a slash',
} as const;
const resourceName = {
  type: 'string',
  pattern: patterns.resourceName,
  description: '1 to 253 letters, digits, dots, underscores and hyphens, a letter or digit first and last',
} as const;
const providerName = {
  type: 'string',
  pattern: patterns.providerName,
  description: '1 to 63 letters, digits, underscores and hyphens (no dot), a letter or digit first and last',
} as const;

/** JSON Schema (2020-12) of `metadata` in a body. What the server adds may stand there and is ignored. */
export const metadataSchema = (kind: ResourceKind) =>
  ({
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: {
      name: kind === 'ToolProvider' ? providerName : resourceName,
      namespace: {
        type: 'string',
        pattern: patterns.namespace,
        default: defaultNamespace,
        description: '1 to 128 lower-case letters, digits, dots and hyphens, a letter or digit first',
      },
      labels: {
        type: 'object',
        maxProperties: 64,
        propertyNames: key,
        additionalProperties: {
          type: 'string',
          pattern: `^(?:${text})?$`,
          description: 'empty, or 1 to 63 letters, digits, dots, underscores and hyphens, a letter or digit first and last',
        },
      },
      annotations: {
        type: 'object',
        maxProperties: 64,
        propertyNames: key,
        additionalProperties: {
          type: 'string',
          maxLength: 4096,
          pattern: '^[^\\u0000]*$',
          description: 'at most 4096 characters, none of them U+0000',
        },
      },
      uid: {},
      generation: {},
      createdAt: {},
      updatedAt: {},
    },
  }) as const;

const checks: Readonly<Record<ResourceKind, (metadata: unknown) => Fault[]>> = {
  ToolExecutionHook: compileSchema(metadataSchema('ToolExecutionHook')),
  ToolProvider: compileSchema(metadataSchema('ToolProvider')),
  Tool: compileSchema(metadataSchema('Tool')),
};

/** Judges the `metadata` of a manifest of that kind: every fault at once, or what the user decides. Pure and total. */
export function validateMetadata(kind: ResourceKind, value: unknown): Validated<GivenMetadata> {
  return conclude(checks[kind](value), () => {
    const sent = value as Partial<GivenMetadata>;
    const { name = '', namespace = defaultNamespace, labels = {}, annotations = {} } = sent;
    return { name, namespace, labels, annotations };
  });
}
