import { type ResourceKind, apiVersion, patterns } from '@agentstration/contracts';
import { hookDefinitionSchema, metadataSchema, toolDefinitionSchema, toolProviderDefinitionSchema } from '@agentstration/governance';
import { runComponents } from './run-components.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const count = { type: 'integer', minimum: 0 } as const;
export const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
/** An object with exactly these properties. */
export const closed = (properties: Readonly<Record<string, object>>, required = Object.keys(properties)) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
/** One page of a list. */
export const pageOf = (name: string) =>
  closed({
    items: { type: 'array', items: reference(name) },
    continue: { type: ['string', 'null'], description: 'Token of the next page; null on the last one.' },
  });

const definitions: Readonly<Record<ResourceKind, object>> = {
  ToolExecutionHook: hookDefinitionSchema,
  ToolProvider: toolProviderDefinitionSchema,
  Tool: toolDefinitionSchema,
};

const statuses: Readonly<Record<ResourceKind, Readonly<Record<string, object>>>> = {
  ToolExecutionHook: {},
  ToolProvider: {
    lastRefreshAt: time,
    lastErrorCode: text,
    refusedNames: { type: 'array', items: text, description: 'External names that no resource name is left for.' },
  },
  Tool: {
    providerId: text,
    externalName: text,
    title: text,
    description: text,
    inputSchema: {},
    outputSchema: {},
    available: { type: 'boolean', description: 'False once the provider no longer offers it.' },
  },
};

/** The schemas of one kind: as users write it, as the API answers it, and a page of it. */
function resourceComponents(kind: ResourceKind): Record<string, object> {
  const head = { apiVersion: { const: apiVersion }, kind: { const: kind } };
  const metadata = metadataSchema(kind);
  const { uid: _uid, generation: _generation, createdAt: _createdAt, updatedAt: _updatedAt, ...given } = metadata.properties;
  return {
    [`${kind}Definition`]: definitions[kind],
    [`${kind}Manifest`]: closed({ ...head, metadata, definition: reference(`${kind}Definition`), status: {} }, [
      ...['apiVersion', 'kind', 'metadata', 'definition'],
    ]),
    [kind]: closed({
      ...head,
      metadata: closed({ ...given, uid: text, generation: { type: 'integer', minimum: 1 }, createdAt: time, updatedAt: time }),
      definition: reference(`${kind}Definition`),
      status: {
        type: 'object',
        required: ['conditions'],
        properties: { conditions: { type: 'array', items: reference('Condition') }, ...statuses[kind] },
      },
    }),
    [`${kind}List`]: pageOf(kind),
  };
}

const faults = {
  type: 'array',
  items: closed({ pointer: { type: 'string', description: 'RFC 6901.' }, code: text, message: text }),
  description: 'Every fault of an invalid body at once.',
};

/** Every named schema of the document. Definitions are those that validation uses. */
export const components: Readonly<Record<string, object>> = {
  ...resourceComponents('ToolExecutionHook'),
  ...resourceComponents('ToolProvider'),
  ...resourceComponents('Tool'),
  ...runComponents,
  Condition: closed({ type: text, status: { enum: ['True', 'False', 'Unknown'] }, reason: text, message: text, lastTransitionTime: time }),
  MergePatch: {
    type: 'object',
    description: 'JSON merge patch (RFC 7396) of the manifest: null removes, objects merge, the rest replaces.',
  },
  Generation: closed({
    uid: text,
    generation: { type: 'integer', minimum: 1 },
    definition: { type: 'object' },
    changedBy: { type: 'string', description: 'The principal.' },
    changedAt: time,
    deletion: { oneOf: [closed({ deletedBy: text, deletedAt: time }), { type: 'null' }] },
  }),
  GenerationList: pageOf('Generation'),
  DiscoverySummary: closed({ new: count, changed: count, unchanged: count, unavailable: count, refused: { type: 'array', items: text } }),
  HookTarget: closed({
    toolId: { type: 'string', minLength: 1, maxLength: 382 },
    providerId: { type: 'string', minLength: 1, maxLength: 382 },
    agentId: { type: 'string', pattern: patterns.agentId },
  }),
  HookEvaluation: closed({
    decision: reference('Decision'),
    code: { type: ['string', 'null'] },
    chain: {
      type: 'array',
      items: closed({
        hook: { type: 'object' },
        decision: reference('Decision'),
        code: { type: ['string', 'null'] },
        reached: { type: 'boolean', description: 'False behind the hook that ends the chain.' },
      }),
    },
    leftOut: {
      type: 'array',
      items: closed({
        resourceId: text,
        resourceGeneration: { type: 'integer' },
        reason: { enum: ['selector', 'disabled', 'invalid'] },
        selector: { enum: ['tools', 'providers', 'agents', null] },
      }),
    },
  }),
  Problem: {
    ...closed({ type: text, title: text, status: { type: 'integer' }, detail: text, instance: text, code: text, errors: faults }),
    required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
    description: 'RFC 9457 problem document.',
    additionalProperties: true,
  },
  Decision: { enum: ['Allowed', 'Denied', 'Failed'] },
};
