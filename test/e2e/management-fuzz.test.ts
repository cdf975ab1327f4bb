import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc, { type Arbitrary } from 'fast-check';
import { stringify } from 'yaml';
import { verifies } from '../support/verifies.ts';
import { type ManagementRig, hook, provider, startManagement } from './management-rig.ts';
import { type OpenApi, type OpenApiResponse, type Route, operationsOf } from './openapi-operations.ts';
import { anyJson, arbitraryOf, spoil } from './schema-arbitrary.ts';

/** `FUZZ_REQUESTS=100000` for the long run; `FUZZ_SEED` repeats one (a failure names its seed). */
const requests = Number(process.env.FUZZ_REQUESTS ?? 1500);
const seed = process.env.FUZZ_SEED === undefined ? {} : { seed: Number(process.env.FUZZ_SEED) };
const inFlight = 8;
const known = { name: ['a', 'b', 'nothing'], runId: ['run-1', 'nothing'], generation: ['1', '2', '99'] } as const;

let rig: ManagementRig;
let document: OpenApi;
let authorization: string;
let ajv: Ajv2020;

beforeAll(async () => {
  rig = await startManagement({ Agentstration__RateLimit__Requests: '0' });
  document = JSON.parse((await rig.call('GET', '/openapi.json')).text) as OpenApi;
  authorization = `Bearer ${await rig.token()}`;
  await createKnown();
  await rig.call('POST', '/api/runs', { body: { ownerKind: 'RuntimeRun', runId: 'run-1' } });
  ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'https://openapi.test/', ...document });
}, 240_000);
afterAll(() => rig?.stop());

/** What the requests mean; again after one of them deleted some, or the rest would meet nothing but 404. */
async function createKnown(): Promise<void> {
  for (const name of ['a', 'b']) await rig.call('POST', '/api/toolexecutionhooks', { body: hook(name) });
  await rig.call('POST', '/api/toolproviders', { body: provider('a') });
}

interface Request {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();
/** Mostly conditions that are well formed: half of them hold, half do not. */
const conditionText = fc.oneof(
  { arbitrary: fc.constantFrom('*', '"x"'), weight: 5 },
  {
    arbitrary: fc.oneof(
      fc.constantFrom('W/"x"', '"x", *', ''),
      fc.string().map((value) => headerText(value)),
    ),
    weight: 1,
  },
);
const workspaceText = fc.oneof({ arbitrary: fc.constant('demo'), weight: 8 }, { arbitrary: fc.constantFrom('other', ''), weight: 1 });
/** What an HTTP client lets through as a header's value. */
const headerText = (value: string): string => value.replaceAll(/[^\x20-\x7E]/g, '').trim();

function requestOf(route: Route): Arbitrary<Request> {
  const { operation, method } = route;
  const parameters = operation.parameters ?? [];
  const valueOf = (name: string, schema: object): Arbitrary<string> =>
    fc.oneof(
      ...(name in known ? [{ arbitrary: fc.constantFrom<string>(...known[name as keyof typeof known]), weight: 6 }] : []),
      { arbitrary: arbitraryOf(schema, document.components.schemas).map(text), weight: 3 },
      { arbitrary: fc.string({ unit: 'binary' }).map(text), weight: 1 },
    );
  const named = (place: string) => parameters.filter((one) => one.in === place);
  // An empty segment or a dot segment names another route; the client itself resolves the latter.
  const path = fc
    .tuple(
      ...named('path').map(({ name, schema }) =>
        fc.tuple(
          fc.constant(name),
          valueOf(name, schema).filter((value) => !['', '.', '..'].includes(value)),
        ),
      ),
    )
    .map((values) => values.reduce((filled, [name, value]) => filled.replace(`{${name}}`, encodeURIComponent(value)), route.path));
  const query = fc
    .subarray(named('query'))
    .chain((chosen) => fc.tuple(...chosen.map(({ name, schema }) => fc.tuple(fc.constant(name), valueOf(name, schema)))));
  const conditions = fc
    .subarray(named('header'))
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map(({ name }) => fc.tuple(fc.constant(name), name === 'Agentstration-Workspace' ? workspaceText : conditionText)),
      ),
    );
  return fc.tuple(path, query, conditions, bodyOf(route)).map(([filled, pairs, given, body]) => ({
    operationId: operation.operationId,
    method,
    path: filled,
    query: pairs,
    headers: { ...Object.fromEntries(given), ...(body ? { 'Content-Type': body.type } : {}) },
    body: method === 'GET' ? undefined : body?.text,
  }));
}

function bodyOf({ operation, method }: Route): Arbitrary<{ type: string; text: string } | undefined> {
  const [[, content] = []] = Object.entries(operation.requestBody?.content ?? {});
  if (!content || method === 'GET') return fc.constant(undefined);
  const valid = arbitraryOf(content.schema, document.components.schemas);
  const value = fc.oneof({ arbitrary: valid, weight: 6 }, { arbitrary: spoil(valid), weight: 3 }, { arbitrary: anyJson, weight: 1 });
  const types = fc.oneof(
    { arbitrary: fc.constantFrom(...Object.keys(operation.requestBody?.content ?? {})), weight: 9 },
    { arbitrary: fc.constant('text/plain'), weight: 1 },
  );
  return fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 1 },
    { arbitrary: fc.tuple(types, fc.string({ unit: 'binary' })).map(([type, raw]) => ({ type, text: raw.toWellFormed() })), weight: 1 },
    {
      arbitrary: fc
        .tuple(types, value)
        .map(([type, document_]) => ({ type, text: type.includes('yaml') ? stringify(document_) : JSON.stringify(document_) })),
      weight: 8,
    },
  );
}

async function send({ method, path, query, headers, body }: Request) {
  const search = query.length === 0 ? '' : `?${query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`;
  const response = await fetch(rig.url + path + search, {
    method,
    headers: { ...headers, Authorization: authorization },
    signal: AbortSignal.timeout(10_000),
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, type: (response.headers.get('content-type') ?? '').split(';')[0] ?? '', text: await response.text() };
}

const validators = new Map<string, ValidateFunction>();

/** Why an answer is not one that the document tells of; undefined when it is. */
function outsideOfDocument({ operation }: Route, answer: Awaited<ReturnType<typeof send>>): string | undefined {
  const documented = operation.responses[answer.status];
  if (!documented) return `status ${answer.status} is not documented`;
  const response: OpenApiResponse = documented.$ref
    ? (document.components.responses[documented.$ref.split('/').at(-1) ?? ''] ?? {})
    : documented;
  if (!response.content) return answer.text === '' ? undefined : 'a body where none is documented';
  const schema = response.content[answer.type]?.schema;
  if (!schema) return `content type ${answer.type} is not documented`;
  const key = JSON.stringify(schema);
  const validate =
    validators.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/components', '"https://openapi.test/#/components')) as object);
  validators.set(key, validate);
  return validate(JSON.parse(answer.text)) ? undefined : ajv.errorsText(validate.errors);
}

describe('whatever is sent', () => {
  it(
    verifies('API-002', 'no 5xx, no hang, no answer outside the document'),
    async () => {
      const routes = operationsOf(document);
      const seen = new Map<number, number>();
      const request = fc.oneof(...routes.map(requestOf));
      const attempt = async (one: Request) => {
        const answer = await send(one);
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        if (answer.status === 204) await createKnown();
        // Nobody discovers here: the one route that needs an executor says so.
        const lonely = one.operationId === 'refreshToolProvider' && answer.status === 503;
        const route = routes.find(({ operation }) => operation.operationId === one.operationId) as Route;
        expect([answer.status >= 500 && !lonely ? answer.text : 'fine', outsideOfDocument(route, answer)]).toEqual(['fine', undefined]);
      };
      await fc.assert(
        fc.asyncProperty(fc.array(request, { minLength: inFlight, maxLength: inFlight }), (some) =>
          Promise.all(some.map(attempt)).then(() => undefined),
        ),
        { numRuns: Math.ceil(requests / inFlight), ...seed },
      );
      // A fuzzer that never gets past the door proves nothing. The rarer answers are for certain in the long run only.
      for (const status of [200, 201, 400, 404, 415, 422, 428, ...(requests >= 20_000 ? [202, 204, 304, 409, 412] : [])])
        expect([status, (seen.get(status) ?? 0) > 0]).toEqual([status, true]);
    },
    Math.max(300_000, requests * 60),
  );
});
