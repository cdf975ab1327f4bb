import 'reflect-metadata';
import { ServerResponse } from 'node:http';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Body, Controller, Delete, Get, Injectable, Module, NotFoundException, Param, Patch, Post, Put, Query, Res } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, IsInt, IsString, Length, Max, Min, ValidateNested } from 'class-validator';
import { Readiness } from '../health/readiness.ts';
import { CurrentIdentity, Public, Requires } from '../identity/access.ts';
import type { Identity } from '../identity/identity.ts';
import { ProblemError } from '../problems/problem-error.ts';
import { validateBody } from '../problems/validate-body.ts';
import { createService } from './create-service.ts';
import { type RunningService, startService } from './running-service.fixture.ts';

class Part {
  @IsString()
  @Length(1, 3)
  name: string;
}
class Thing {
  @IsInt()
  @Min(0)
  @Max(9)
  size: number;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Part)
  parts: Part[];
}

@Controller('things')
class ThingsController {
  @Get('me')
  @Requires('hooks.read')
  me(@CurrentIdentity() identity: Identity): object {
    return { ...identity, permissions: [...identity.permissions] };
  }

  @Get('by-id/:id')
  @Public()
  byId(@Param('id') id: string, @Query('q') q?: string): object {
    return { id, q: q ?? null };
  }

  @Post()
  @Public()
  @ApiBody({ schema: { type: 'object' } })
  echo(@Body() body: unknown): object {
    return { body: body ?? null };
  }

  @Patch()
  @Public()
  patch(@Body() body: unknown): object {
    return { body };
  }

  @Put()
  @Public()
  put(@Body(validateBody(Thing)) thing: Thing): object {
    return { isThing: thing instanceof Thing && thing.parts.every((part) => part instanceof Part) };
  }

  @Delete()
  @Requires('hooks.write')
  remove(@Body() body: unknown): object {
    return { body };
  }

  @Get('half')
  @Public()
  half(@Res() response: ServerResponse): never {
    response.writeHead(200, { 'Content-Length': 1000 });
    response.write('half');
    throw new Error('too late');
  }

  @Get('fail/:how')
  @Public()
  fail(@Param('how') how: string): never {
    if (how === 'problem') throw new ProblemError('conflict', 'No.', { headers: { 'Retry-After': '7' } });
    if (how === 'nest') throw new NotFoundException('the framework says');
    if (how === 'database') throw new Error('outer', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) });
    // eslint-disable-next-line @typescript-eslint/only-throw-error -- libraries do
    if (how === 'thing') throw { status: 404, message: 'canary' };
    throw Object.assign(new Error('canary'), { status: 404 });
  }
}

@Injectable()
class Dependency {
  ready = true;
  constructor(readiness: Readiness) {
    readiness.register('dependency', () => Promise.resolve(this.ready ? { ready: true } : { ready: false, reason: 'it sleeps' }));
    readiness.register('broken', () => (this.ready ? Promise.resolve({ ready: true }) : Promise.reject(new Error('canary'))));
  }
}

@Module({ controllers: [ThingsController], providers: [Dependency] })
class ThingsModule {}

let service: RunningService;
beforeAll(async () => void (service = await startService(ThingsModule)));
afterAll(() => service.stop());

const send = (method: string, path: string, more: RequestInit = {}): Promise<Response> =>
  fetch(`${service.url}${path}`, { method, ...more });
const post = (body: string, type: string, method = 'POST'): Promise<Response> =>
  send(method, '/things', { body, headers: { 'Content-Type': type } });

async function problemOf(response: Response): Promise<Record<string, unknown>> {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const problem = (await response.json()) as Record<string, unknown>;
  expect(problem).toMatchObject({ status: response.status, type: `https://agentstration.io/problems/${String(problem.code)}` });
  return problem;
}

describe('problems', () => {
  it.each([
    ['/things/fail/problem', 409, 'conflict', 'No.'],
    ['/things/fail/nest', 404, 'route_not_found', 'the framework says'],
    ['/things/fail/database', 503, 'unavailable', expect.any(String)],
    ['/things/fail/anything', 500, 'internal_error', expect.any(String)],
    ['/things/fail/thing', 500, 'internal_error', expect.any(String)],
    ['/nowhere', 404, 'route_not_found', expect.any(String)],
    ['/THINGS/me', 404, 'route_not_found', expect.any(String)],
  ])(verifies(['HTTP-001', 'HTTP-002', 'HTTP-003', 'HTTP-010'], '%s is %d %s'), async (path, status, code, detail) => {
    const response = await send('GET', `${path}?secret=canary`);
    const problem = await problemOf(response);
    expect(problem).toEqual({ type: expect.any(String), title: expect.any(String), status, detail, instance: path, code });
    expect(JSON.stringify(problem)).not.toContain('canary');
    if (status === 409) expect(response.headers.get('retry-after')).toBe('7');
    if (status === 503) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('an answer that fails half-way is cut, not completed', async () => {
    const cut = send('GET', '/things/half').then((response) => response.text());
    await expect(cut).rejects.toThrow();
    expect((await send('GET', '/livez')).status).toBe(200);
  });

  it(verifies('HTTP-002', 'the log has the reason of a 500 under the id that the answer carries'), async () => {
    const response = await send('GET', '/things/fail/anything', { headers: { 'X-Request-Id': 'mine-1' } });
    expect(response.headers.get('x-request-id')).toBe('mine-1');
    expect(service.logged().find(({ requestId, err }) => requestId === 'mine-1' && err)).toMatchObject({
      err: { message: 'canary', stack: expect.any(Array) },
    });
  });

  it.each([
    ['PATCH', '/things/me', 'GET, HEAD'],
    ['GET', '/things', 'DELETE, PATCH, POST, PUT'],
    ['OPTIONS', '/things', 'DELETE, PATCH, POST, PUT'],
    ['PROPFIND', '/things/by-id/x', 'GET, HEAD'],
  ])(verifies('HTTP-003', '%s %s is 405 with Allow'), async (method, path, allow) => {
    const response = await send(method, path);
    expect(await problemOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(response.headers.get('allow')).toBe(allow);
  });

  it(verifies('HTTP-007', 'a body names every fault with its pointer'), async () => {
    const put = (body: unknown): Promise<Response> => post(JSON.stringify(body), 'application/json', 'PUT');
    expect(await (await put({ size: 1, parts: [{ name: 'a' }] })).json()).toEqual({ isThing: true });
    const problem = await problemOf(await put({ size: 10.5, parts: [{ name: 'long', 'a/b': 1 }, {}], other: 'canary' }));
    expect(problem).toMatchObject({ status: 422, code: 'invalid_definition' });
    expect((problem.errors as { pointer: string; code: string }[]).map(({ pointer, code }) => [pointer, code]).sort()).toEqual([
      ['/other', 'unknown_property'],
      ['/parts/0/a~1b', 'unknown_property'],
      ['/parts/0/name', 'is_length'],
      ['/parts/1/name', 'required'],
      ['/size', 'is_int'],
      ['/size', 'max'],
    ]);
    expect(JSON.stringify(problem)).not.toContain('canary');
    for (const body of [[], null, 'text', 5]) expect((await put(body)).status).toBe(422);
    expect(await problemOf(await send('PUT', '/things'))).toMatchObject({ status: 400, code: 'malformed_request' });
    expect((await put(JSON.parse('{"__proto__":{"size":1},"constructor":1}'))).status).toBe(422);
  });
});

describe('bodies', () => {
  it(verifies('HTTP-004', 'up to 1 MiB'), async () => {
    const json = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));
    expect((await post(json(1024 ** 2), 'application/json')).status).toBe(201);
    expect(await problemOf(await post(json(1024 ** 2 + 1), 'application/json'))).toMatchObject({ status: 413, code: 'body_too_large' });
    const chunked = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < 40; sent++) controller.enqueue(Buffer.alloc(64 * 1024, 0x20));
        controller.close();
      },
    });
    const response = await send('POST', '/things', {
      body: chunked,
      headers: { 'Content-Type': 'application/json' },
      duplex: 'half',
    });
    expect(response.status).toBe(413);
  });

  it.each([
    ['application/json', 'POST', 201],
    ['application/json; charset=utf-8', 'POST', 201],
    ['Application/JSON;Charset="UTF-8"', 'POST', 201],
    ['application/json; charset=latin1', 'POST', 415],
    ['application/yaml', 'POST', 201],
    ['text/plain', 'POST', 415],
    ['application/x-www-form-urlencoded', 'POST', 415],
    ['application/merge-patch+json', 'POST', 415],
    ['application/merge-patch+json', 'PATCH', 200],
    ['application/json', 'PATCH', 200],
  ])(verifies('HTTP-004', '%s in a %s is %d'), async (type, method, status) => {
    const response = await post('{"a":1}', type, method);
    expect(response.status).toBe(status);
    if (status === 415) expect(response.headers.get('accept')).toMatch(/application\/json, /);
    else expect(await response.json()).toEqual({ body: { a: 1 } });
  });

  it(verifies('HTTP-004', 'no compression, no type: 415; no body: nothing'), async () => {
    expect(
      (await send('POST', '/things', { body: '{}', headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' } })).status,
    ).toBe(415);
    expect((await send('POST', '/things', { body: Buffer.from('{}') })).status).toBe(415);
    expect(await (await send('POST', '/things')).json()).toEqual({ body: null });
  });

  it.each([
    ['a duplicate', '{"a":1,"a":2}', 'Duplicate key at /a'],
    ['a number', '{"a":9007199254740993}', 'at /a'],
    ['a surrogate', '{"a":"\\ud800"}', 'lone surrogate'],
    ['no quotes', '{a:1}', 'Not JSON'],
    ['no end', '[', 'Not JSON'],
    ['deep nesting', '['.repeat(100_000), 'Nesting'],
  ])(verifies('HTTP-005', 'JSON with %s is 400 that names the place'), async (_, text, message) => {
    const problem = await problemOf(await post(text, 'application/json'));
    expect(problem).toMatchObject({ status: 400, code: 'malformed_request', detail: expect.stringContaining(message) });
  });

  it(verifies('HTTP-006', 'YAML that is more than JSON is 400'), async () => {
    expect(await (await post('a: [1, "x"]\nb: |\n  text\n', 'application/yaml')).json()).toEqual({ body: { a: [1, 'x'], b: 'text\n' } });
    expect(await problemOf(await post('a: 1\na: 2', 'application/yaml'))).toMatchObject({
      status: 400,
      code: 'malformed_request',
      detail: expect.stringMatching(/duplicate key.*line 1/),
    });
  });

  it('nobody without the permission makes the service read a body', async () => {
    const response = await post('{', 'application/json', 'DELETE');
    expect(await problemOf(response)).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('the rest of HTTP', () => {
  it.each([
    ['application/yaml', /^application\/yaml/, 'id: a\nq: null\n'],
    ['application/yaml;q=0.5, application/json', /^application\/json/, '{"id":"a","q":null}'],
    ['*/*', /^application\/json/, '{"id":"a","q":null}'],
    ['text/html', /^application\/json/, '{"id":"a","q":null}'],
  ])(verifies('HTTP-008', 'Accept: %s'), async (accept, type, text) => {
    const response = await send('GET', '/things/by-id/a', { headers: { Accept: accept } });
    expect(response.headers.get('content-type')).toMatch(type);
    expect(response.headers.get('vary')).toContain('Accept');
    expect(await response.text()).toBe(text);
  });

  it.each([
    ['functions.lookup:0', 'functions.lookup:0'],
    ['a%2Fb', 'a/b'],
    ['%252E', '%2E'],
    ['...', '...'],
  ])(verifies('HTTP-011', 'the id %s is decoded once'), async (sent, id) => {
    expect(await (await send('GET', `/things/by-id/${sent}`)).json()).toEqual({ id, q: null });
  });

  it.each(['/things/by-id/%2E%2E', '/things/by-id/%2e', '/things/%2e%2E/me', '/things/by-id/%zz', '/things/by-id/%ff'])(
    verifies('HTTP-011', '%s is 400'),
    async (path) => {
      expect(await problemOf(await service.raw('GET', path))).toMatchObject({ status: 400, code: 'malformed_request' });
    },
  );

  it(verifies('HTTP-012', 'the access log tells who did what, without bodies, query values or tokens'), async () => {
    const token = await service.token({ workspaces: ['demo'] });
    await send('GET', '/things/me?secret=canary-1', { headers: { Authorization: `Bearer ${token}`, Cookie: 'canary-2' } });
    await post('{"a":"canary-3"}', 'application/json');
    await send('GET', '/things/fail/anything?secret=canary-4', { headers: { Authorization: 'Bearer canary-5' } });
    const line = service.logged().find(({ principalId }) => principalId === 'someone');
    expect(line).toMatchObject({
      tenantId: 'local',
      workspaceId: 'demo',
      req: { method: 'GET', path: '/things/me' },
      res: { statusCode: 200 },
    });
    expect(JSON.stringify(service.logged())).not.toMatch(/canary-\d/);
    expect(JSON.stringify(service.logged())).not.toContain(token);
  });

  it(verifies('HTTP-013', 'security headers, no ETag of its own, no name'), async () => {
    const { headers } = await send('GET', '/things/by-id/a');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe("default-src 'none';frame-ancestors 'none'");
    const refused = await send('GET', '/nowhere');
    expect(refused.headers.get('content-security-policy')).toBe(headers.get('content-security-policy'));
    expect([headers.get('x-powered-by'), headers.get('etag'), headers.get('server')]).toEqual([null, null, null]);
  });
});

describe('operations', () => {
  it(verifies('SERVICE-001', 'health and metrics'), async () => {
    expect(await (await send('GET', '/livez')).json()).toEqual({ status: 'alive' });
    expect(await (await send('GET', '/readyz')).json()).toEqual({
      ready: true,
      checks: { dependency: { ready: true }, broken: { ready: true } },
    });
    service.application.get(Dependency).ready = false;
    const red = await send('GET', '/readyz');
    service.application.get(Dependency).ready = true;
    expect(red.status).toBe(503);
    expect(await red.json()).toEqual({
      ready: false,
      checks: { dependency: { ready: false, reason: 'it sleeps' }, broken: { ready: false, reason: 'the check failed' } },
    });
    await send('GET', '/things/by-id/some-run-id');
    await send('GET', '/nowhere/some-other-id');
    const metrics = await (await send('GET', '/metrics')).text();
    expect(metrics).toMatch(
      /agentstration_http_request_duration_seconds_count\{method="GET",route="\/things\/by-id\/:id",status="200"\} \d+/,
    );
    expect(metrics).toContain('process_cpu_seconds_total');
    expect(metrics).not.toMatch(/some-(run|other)-id/);
  });

  it(verifies('SERVICE-002', 'the OpenAPI document'), async () => {
    const document = (await (await send('GET', '/openapi.json')).json()) as { paths: object };
    expect(document).toMatchObject({
      openapi: '3.1.0',
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
        schemas: { Problem: { properties: { code: { enum: expect.arrayContaining(['etag_mismatch', 'rate_limited']) } } } },
      },
      paths: {
        '/things/me': {
          get: {
            security: [{ bearer: [] }],
            'x-required-permission': 'hooks.read',
            responses: { 401: { $ref: '#/components/responses/Problem401' }, 503: expect.anything() },
          },
        },
        '/things': { post: { responses: { 413: expect.anything(), 415: expect.anything() } } },
      },
    });
    expect(Object.keys(document.paths)).not.toContain('/livez');
  });

  it(verifies('AUTH-007', 'a route that says nothing keeps the service from starting'), async () => {
    @Controller('silent')
    class SilentController {
      @Get()
      open(): string {
        return 'open';
      }
    }
    @Module({ controllers: [SilentController] })
    class SilentModule {}
    await expect(createService(SilentModule, { name: 'silent', configuration: service.configuration })).rejects.toThrow(
      'SilentController.open',
    );
  });
});
