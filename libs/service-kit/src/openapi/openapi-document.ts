import { problems } from '@agentstration/contracts';
import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { bearerScheme } from '../identity/access.ts';
import { OpenApiSchemas } from './openapi-schemas.ts';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

const problemSchema = {
  type: 'object',
  description: 'RFC 9457 problem document',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
  properties: {
    type: { type: 'string', format: 'uri' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    code: { type: 'string', enum: Object.keys(problems) },
    reason: { type: 'string', description: 'A stable code of the part that failed, such as that of a tool provider' },
    errors: {
      type: 'array',
      description: 'Every fault of an invalid definition',
      items: {
        type: 'object',
        required: ['pointer', 'code', 'message'],
        properties: {
          pointer: { type: 'string', description: 'RFC 6901 JSON Pointer' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
      },
    },
  },
} as const;

/** Problems that any route can answer, by status; those with a body or a token can answer more. */
const general = [400, 404, 405, 429, 500, 503];
const ofToken = [401, 403];
const ofBody = [413, 415, 422];

/** The OpenAPI 3.1 document of a service, from its decorators, with what all routes have in common. */
export function openApiDocument(application: INestApplication, name: string): OpenAPIObject {
  const base = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle(`Agentstration ${name}`)
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }, bearerScheme)
    .build();
  const document = SwaggerModule.createDocument(application, base);
  const statuses = [...new Set([...general, ...ofToken, ...ofBody])];
  document.components = {
    ...document.components,
    schemas: {
      ...document.components?.schemas,
      ...structuredClone(application.get(OpenApiSchemas).all()),
      Problem: structuredClone(problemSchema) as never,
    },
    responses: {
      ...document.components?.responses,
      ...Object.fromEntries(statuses.map((status) => [responseName(status), response(status)])),
    },
  };
  for (const path of Object.values(document.paths)) {
    for (const method of methods) {
      const operation = path[method];
      if (operation) addProblems(operation);
    }
  }
  return document;
}

function addProblems(operation: Operation): void {
  const statuses = [...general, ...(operation.security ? ofToken : []), ...(operation.requestBody ? ofBody : [])];
  for (const status of statuses) operation.responses[status] ??= { $ref: `#/components/responses/${responseName(status)}` };
}

const responseName = (status: number): string => `Problem${status}`;

function response(status: number) {
  const codes = Object.entries(problems).filter(([, problem]) => problem.status === status);
  return {
    description: codes.map(([code, { title }]) => `${title} (\`${code}\`)`).join('; '),
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}
