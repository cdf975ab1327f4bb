import { type ProblemCode, problems } from '@agentstration/contracts';
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiHeader, ApiOperation, ApiParam, ApiQuery, ApiResponse } from '@nestjs/swagger';
import { type ParameterName, parameters } from './parameters.ts';

type SchemaName = string;
type ContentType = string;

/** What a route takes and answers, as the OpenAPI document says it. Schemas are named: see `components.ts`. */
export interface Operation {
  /** `operationId`: what a generated client calls it. */
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly parameters?: readonly ParameterName[];
  readonly body?: { readonly schema: SchemaName; readonly types: readonly ContentType[]; readonly required?: boolean };
  readonly answers: Readonly<Record<number, Answer>>;
  /** Besides those of 400, 401, 403, 404, 405, 413, 415, 422, 429, 500 and 503, which every service's document lists. */
  readonly problems?: readonly ProblemCode[];
}
interface Answer {
  readonly description: string;
  readonly schema?: SchemaName;
  readonly headers?: readonly ('ETag' | 'Location')[];
}

export const manifestTypes = ['application/json', 'application/yaml'] as const;

/** Documents a route. */
export function Documented(operation: Operation): MethodDecorator {
  const { id, summary, description, tag, body } = operation;
  return applyDecorators(
    ApiOperation({ operationId: id, summary, tags: [tag], ...(description === undefined ? {} : { description }) }),
    ...[...(operation.parameters ?? []), 'workspace' as const].map(toParameter),
    ...(body ? [ApiConsumes(...body.types), ApiBody({ required: body.required ?? true, schema: reference(body.schema) })] : []),
    ...Object.entries(operation.answers).map(([status, answer]) => toAnswer(Number(status), answer)),
    ...toProblems(operation.problems ?? []),
  );
}

const reference = (name: SchemaName) => ({ $ref: `#/components/schemas/${name}` });
const contentOf = (schema: SchemaName, types: readonly ContentType[]) => ({
  content: Object.fromEntries(types.map((type) => [type, { schema: reference(schema) }])),
});

function toParameter(name: ParameterName): MethodDecorator {
  const { in: place, ...parameter } = parameters[name];
  const described = { ...parameter, name: 'name' in parameter ? parameter.name : name };
  if (place === 'path') return ApiParam({ ...described, required: true });
  if (place === 'header') return ApiHeader(described as never);
  return ApiQuery({ required: false, ...described });
}

const headers = {
  ETag: { description: 'Strong entity tag of this representation; If-Match takes it.', schema: { type: 'string' } },
  Location: { description: 'Where the new thing is read.', schema: { type: 'string' } },
} as const;

const toAnswer = (status: number, answer: Answer): MethodDecorator =>
  ApiResponse({
    status,
    description: answer.description,
    ...(answer.schema === undefined ? {} : contentOf(answer.schema, manifestTypes)),
    ...(answer.headers ? { headers: Object.fromEntries(answer.headers.map((name) => [name, headers[name]])) } : {}),
  });

/** One answer per status, naming the codes that it may carry. */
function toProblems(codes: readonly ProblemCode[]): MethodDecorator[] {
  const byStatus = Map.groupBy(codes, (code) => problems[code].status);
  return [...byStatus].map(([status, sameStatus]) =>
    ApiResponse({
      status,
      description: sameStatus.map((code) => `\`${code}\`: ${problems[code].title}.`).join(' '),
      content: {
        'application/problem+json': {
          schema: { allOf: [reference('Problem'), { properties: { code: { enum: sameStatus }, status: { const: status } } }] },
        },
      },
    } as never),
  );
}
