import { type ProblemCode, problems } from '@agentstration/contracts';
import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { type components, reference } from './components.ts';

/** What a route of the read API takes and answers, as the OpenAPI document says it. */
export interface ReadOperation {
  /** `operationId`: what a generated client calls it. */
  readonly id: string;
  readonly summary: string;
  readonly query?: readonly (keyof typeof parameters)[];
  readonly ofRun?: boolean;
  readonly answer: { readonly description: string; readonly schema: keyof typeof components; readonly types?: readonly string[] };
  readonly problems?: readonly ProblemCode[];
}

const text = { type: 'string' };
const sequence = { type: 'integer', minimum: 0 };
const time = { type: 'string', format: 'date-time' };

const parameters = {
  afterSequence: { description: 'Only what comes after this sequence.', schema: { ...sequence, default: 0 } },
  limit: {
    description: 'Items at most; fewer come when they are large.',
    schema: { type: 'integer', minimum: 1, maximum: 200, default: 100 },
  },
  waitFor: { description: 'Waits, for 5 s at most, until the answer reflects this Journal sequence.', schema: sequence },
  cursor: { description: 'Of the page before, for the same filters.', schema: text },
  toolCallId: { description: 'Exact.', schema: text },
  invocationId: { description: 'Exact.', schema: text },
  toolId: { description: 'Exact.', schema: text },
  agentId: { description: 'Exact.', schema: text },
  providerId: { description: 'Exact.', schema: text },
  hookId: { description: 'A hook id or resource id. Holds for the same evaluation as resourceGeneration and decision.', schema: text },
  resourceGeneration: { description: 'Generation of the hook resource.', schema: { type: 'integer', minimum: 1 } },
  decision: { description: 'In any case.', schema: { enum: ['allowed', 'denied', 'failed'] } },
  outcome: { description: 'In any case.', schema: { enum: ['succeeded', 'failed', 'denied', 'cancelled', 'unknown', 'running'] } },
  from: { description: 'Recorded at or after (RFC 3339).', schema: time },
  to: { description: 'Recorded before (RFC 3339).', schema: time },
  bucket: { description: 'Length of a bucket.', schema: { enum: ['minute', 'hour', 'day'], default: 'hour' } },
  format: { description: 'Default: what Accept prefers.', schema: { enum: ['ndjson', 'csv'], default: 'ndjson' } },
} as const;

const runFilters = ['toolCallId', 'invocationId', 'toolId', 'hookId', 'resourceGeneration', 'decision'] as const;
export const queries = {
  run: ['afterSequence', 'limit', 'waitFor'],
  runFilters,
  filters: [...runFilters, 'agentId', 'providerId', 'outcome', 'from', 'to'],
} as const;

const headers = {
  'Agentstration-Projected-Sequence': { description: 'The Journal position that the answer reflects.', schema: sequence },
  'Agentstration-Removed-Through': {
    description: 'Retention may have removed what has a workspaceSequence up to this one; absent when nothing was removed.',
    schema: sequence,
  },
};

/** Documents a route. */
export function Documented({ id, summary, query = [], ofRun = false, answer, problems: codes = [] }: ReadOperation): MethodDecorator {
  const run = [
    ApiParam({ name: 'ownerKind', description: 'In any case.', schema: { enum: ['runtime', 'flow', 'RuntimeRun', 'FlowRun'] } }),
    ApiParam({ name: 'runId', schema: text }),
  ];
  const { description, schema, types = ['application/json'] } = answer;
  const content = Object.fromEntries(types.map((type) => [type, { schema: type === 'text/csv' ? text : reference(schema) }]));
  return applyDecorators(
    ApiOperation({ operationId: id, summary, tags: ['Tool governance'] }),
    ...(ofRun ? run : []),
    ...query.map((name) => ApiQuery({ name, required: false, ...parameters[name] })),
    ApiHeader({ name: 'Agentstration-Workspace', required: false, description: 'Selects a workspace when the token lists several.' }),
    ApiResponse({ status: 200, description, content, headers }),
    ...toProblems(ofRun ? [...codes, 'run_not_found', 'invalid_owner_kind'] : codes),
  );
}

/** One answer per status, naming the codes that it may carry. */
function toProblems(codes: readonly ProblemCode[]): MethodDecorator[] {
  const statuses = new Set(codes.map((code) => problems[code].status));
  return [...statuses].map((status) => {
    const of = codes.filter((code) => problems[code].status === status);
    const schema = { allOf: [reference('Problem'), { properties: { code: { enum: of } } }] };
    return ApiResponse({
      status,
      description: of.map((code) => problems[code].title).join('; '),
      content: { 'application/problem+json': { schema } },
    });
  });
}
