import { patterns } from '@agentstration/contracts';

const limit = { type: 'integer', minimum: 1, maximum: 200, default: 50 } as const;

/** Every parameter of the service, by the name that operations give it. */
export const parameters = {
  resourceName: {
    in: 'path',
    name: 'name',
    description: 'Name of the resource.',
    schema: { type: 'string', pattern: patterns.resourceName },
  },
  generation: { in: 'path', description: 'A generation of the resource.', schema: { type: 'integer', minimum: 1 } },
  ownerKind: {
    in: 'path',
    description: 'Owner kind of the run, in any case.',
    schema: { type: 'string', enum: ['runtime', 'flow', 'RuntimeRun', 'FlowRun'] },
  },
  runId: { in: 'path', description: 'Id of the run, percent-encoded.', schema: { type: 'string', pattern: patterns.id } },
  resourceNamespace: {
    in: 'query',
    description: 'Namespace of the resource.',
    schema: { type: 'string', pattern: patterns.namespace, default: 'default' },
  },
  anyNamespace: {
    in: 'query',
    name: 'resourceNamespace',
    description: 'Only this namespace; all of them when absent.',
    schema: { type: 'string', pattern: patterns.namespace },
  },
  labelSelector: {
    in: 'query',
    description: 'Requirements on labels that must all hold: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`.',
    schema: { type: 'string', maxLength: 8192 },
  },
  limit: { in: 'query', description: 'Items on the page.', schema: limit },
  continue: { in: 'query', description: '`continue` of the page before, of the same query.', schema: { type: 'string' } },
  ifMatch: {
    in: 'header',
    name: 'If-Match',
    description: 'ETag of the resource as it was read, a list of them, or `*`. Without it the answer is 428.',
    required: false,
    schema: { type: 'string' },
  },
  ifNoneMatch: {
    in: 'header',
    name: 'If-None-Match',
    description: 'ETags that the caller has; 304 when one of them is current.',
    required: false,
    schema: { type: 'string' },
  },
  workspace: {
    in: 'header',
    name: 'Agentstration-Workspace',
    description: 'Which workspace, of those that the token lists. Needed when they are several.',
    required: false,
    schema: { type: 'string', pattern: patterns.scopeId },
  },
  createOnly: {
    in: 'header',
    name: 'If-None-Match',
    description: '`*`: create, and only when there is none.',
    required: false,
    schema: { type: 'string', enum: ['*'] },
  },
} as const;

export type ParameterName = keyof typeof parameters;
