import 'reflect-metadata';
import { createHmac } from 'node:crypto';
import { chmod, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { type CryptoKey, type JWTPayload, SignJWT, UnsecuredJWT, exportJWK, exportSPKI, generateKeyPair, importJWK } from 'jose';
import { type RunningService, startService } from '../service/running-service.fixture.ts';
import { CurrentIdentity, Requires } from './access.ts';
import { AuthenticationGuard } from './authentication-guard.ts';
import { developmentKey } from './development-key.ts';
import { developmentToken } from './development-token.ts';
import { type Identity, permissions } from './identity.ts';
import { keysFromUrl } from './issuer-keys.ts';
import { readClaim } from './principal.ts';
import { type Role, roles } from './roles.ts';
import { KeysUnavailable } from './token-verifier.ts';

@Controller('me')
class MeController {
  @Get()
  @Requires('hooks.read')
  me(@CurrentIdentity() { scope, principalId, permissions }: Identity): object {
    return { ...scope, principalId, permissions: [...permissions].sort() };
  }
  @Post()
  @Requires('hooks.write')
  write(@Body() body: unknown, @CurrentIdentity() { scope }: Identity): object {
    return { scope, body };
  }
}
@Module({ controllers: [MeController] })
class MeModule {}

const [issuer, audience] = ['https://issuer.example', 'agentstration'];
let directory: string;
let key: CryptoKey;
let publicKey: CryptoKey;
let service: RunningService;

const jwks = async (kid: string, one: CryptoKey): Promise<string> =>
  JSON.stringify({ keys: [{ ...(await exportJWK(one)), kid, use: 'sig' }] });
const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;

function sign(claims: JWTPayload, more: { key?: CryptoKey; alg?: string; kid?: string } = {}): Promise<string> {
  const body = {
    iss: issuer,
    aud: audience,
    sub: 'someone',
    exp: inSeconds(60),
    tenant: 'acme',
    workspaces: ['demo'],
    roles: ['viewer'],
    ...claims,
  };
  return new SignJWT(body).setProtectedHeader({ alg: more.alg ?? 'RS256', kid: more.kid ?? 'one' }).sign(more.key ?? key);
}

async function ask(
  token: string | undefined,
  headers: Record<string, string> = {},
  path = '/me',
): Promise<{ status: number; body: Record<string, unknown>; headers: Headers }> {
  const response = await fetch(`${service.url}${path}`, {
    headers: { ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }), ...headers },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown>, headers: response.headers };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'authentication-'));
  ({ privateKey: key, publicKey } = await generateKeyPair('RS256', { extractable: true }));
  await writeFile(join(directory, 'jwks.json'), await jwks('one', publicKey));
  service = await startService(MeModule, {
    Agentstration__Authentication__Mode: 'Jwt',
    Agentstration__Authentication__Issuer: issuer,
    Agentstration__Authentication__Audience: audience,
    Agentstration__Authentication__JwksFile: join(directory, 'jwks.json'),
    Agentstration__RateLimit__Requests: '200',
    // Longer than the slowest machine takes: no window ends under a test.
    Agentstration__RateLimit__WindowSeconds: '3600',
  });
});
afterAll(async () => {
  await service.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('tokens', () => {
  it(verifies(['AUTH-001', 'AUTH-003'], 'a good one'), async () => {
    expect(await ask(await sign({}))).toMatchObject({
      status: 200,
      body: {
        tenantId: 'acme',
        workspaceId: 'demo',
        principalId: 'someone',
        permissions: ['governance.read', 'hooks.read', 'runs.read', 'tools.read'],
      },
    });
    expect((await ask(await sign({ aud: ['other', audience] }))).status).toBe(200);
  });

  it.each<[string, () => Promise<string> | string]>([
    ['expired', () => sign({ exp: inSeconds(-10) })],
    ['without expiry', () => sign({ exp: undefined })],
    ['not yet valid', () => sign({ nbf: inSeconds(30) })],
    ['issued in the future', () => sign({ iat: inSeconds(30) })],
    ['of another issuer', () => sign({ iss: `${issuer}/` })],
    ['for another audience', () => sign({ aud: 'agentstration2' })],
    ['for nobody', () => sign({ aud: undefined })],
    ['without subject', () => sign({ sub: undefined })],
    ['with a subject that is no id', () => sign({ sub: 'some one' })],
    ['signed with another key', async () => sign({}, { key: (await generateKeyPair('RS256')).privateKey })],
    ['with an unknown key id', () => sign({}, { kid: 'two' })],
    ['with an algorithm that is not pinned', async () => sign({}, { key: (await generateKeyPair('ES512')).privateKey, alg: 'ES512' })],
    [
      'with our key, but another algorithm',
      async () => sign({}, { key: (await importJWK(await exportJWK(key), 'RS512')) as CryptoKey, alg: 'RS512' }),
    ],
    [
      'unsigned',
      () =>
        new UnsecuredJWT({ sub: 'someone', tenant: 'acme', workspaces: ['demo'] })
          .setIssuer(issuer)
          .setAudience(audience)
          .setExpirationTime('1h')
          .encode(),
    ],
    ['signed by HMAC with the public key', hmacWithPublicKey],
    [
      'changed after signing',
      async () => (await sign({})).replace(/\.[^.]+\./, `.${Buffer.from('{"sub":"admin"}').toString('base64url')}.`),
    ],
    ['no token at all', () => 'canary'],
  ])(verifies('AUTH-002', '%s: 401'), async (_, make) => {
    const token = await make();
    const { status, body, headers } = await ask(token);
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
    expect(headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    expect(JSON.stringify(body)).not.toContain(token);
  });

  async function hmacWithPublicKey(): Promise<string> {
    const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
    const claims = {
      iss: issuer,
      aud: audience,
      sub: 'someone',
      exp: inSeconds(60),
      tenant: 'acme',
      workspaces: ['demo'],
      roles: ['admin'],
    };
    const signed = `${encode({ alg: 'HS256', kid: 'one' })}.${encode(claims)}`;
    return `${signed}.${createHmac('sha256', await exportSPKI(publicKey))
      .update(signed)
      .digest('base64url')}`;
  }

  it.each<[string, Record<string, string>]>([
    ['none', {}],
    ['basic', { Authorization: 'Basic abc' }],
    ['empty', { Authorization: 'Bearer ' }],
    ['two', { Authorization: 'Bearer a b' }],
  ])(verifies('AUTH-002', 'credentials: %s: 401'), async (_, headers) => {
    const { status, body, headers: answered } = await ask(undefined, headers);
    expect([status, body.code, answered.get('www-authenticate')]).toEqual([401, 'unauthenticated', 'Bearer']);
    expect((await ask(undefined, {}, `/me?access_token=${await sign({})}`)).status).toBe(401);
  });
});

describe('workspaces', () => {
  const selecting = (workspace: string): Record<string, string> => ({ 'Agentstration-Workspace': workspace });

  it(verifies(['AUTH-003', 'AUTH-004'], 'of several the header selects'), async () => {
    const two = await sign({ workspaces: ['one', 'two'] });
    expect(await ask(two)).toMatchObject({ status: 400, body: { code: 'workspace_required' } });
    expect(await ask(two, selecting('two'))).toMatchObject({ status: 200, body: { workspaceId: 'two' } });
    for (const other of ['three', 'TWO', 'two, one', '', '__proto__', 'constructor', '*']) {
      expect(await ask(two, selecting(other))).toMatchObject({ status: 403, body: { code: 'workspace_denied' } });
    }
    expect(await ask(await sign({}), selecting('other'))).toMatchObject({ status: 403, body: { code: 'workspace_denied' } });
    expect(await ask(await sign({}), selecting('demo'))).toMatchObject({ status: 200, body: { workspaceId: 'demo' } });
  });

  it.each<[string, JWTPayload]>([
    ['no workspaces', { workspaces: undefined }],
    ['an empty list', { workspaces: [] }],
    ['an empty map', { workspaces: {} }],
    ['a text', { workspaces: 'demo' }],
    ['an illegal id', { workspaces: ['demo', 'a.b'] }],
    ['a wildcard', { workspaces: ['*'] }],
    ['numbers', { workspaces: [1] }],
    ['no tenant', { tenant: undefined }],
    ['an illegal tenant', { tenant: 'a.>' }],
    ['two tenants', { tenant: ['a', 'b'] }],
  ])(verifies('AUTH-004', '%s: 403'), async (_, claims) => {
    expect(await ask(await sign(claims))).toMatchObject({ status: 403, body: { code: 'workspace_denied' } });
  });

  it(verifies('AUTH-005', 'a map of workspace to roles replaces the roles claim'), async () => {
    const token = await sign({ workspaces: { one: ['auditor'], two: [], three: 'admin', four: null }, roles: ['admin'] });
    expect((await ask(token, selecting('one'))).body.permissions).toEqual([...roles.auditor].sort());
    for (const workspace of ['two', 'three', 'four']) {
      expect(await ask(token, selecting(workspace))).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    }
    expect(await ask(token)).toMatchObject({ status: 400, body: { code: 'workspace_required' } });
  });

  it(verifies('AUTH-009', 'nothing but the token and the header names a workspace'), async () => {
    const token = await sign({ roles: ['admin'] });
    const response = await fetch(`${service.url}/me?workspace=other&tenantId=evil&Agentstration-Workspace=other`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{"tenantId":"evil","workspaceId":"other"}',
    });
    expect(await response.json()).toMatchObject({ scope: { tenantId: 'acme', workspaceId: 'demo' } });
  });

  it(verifies('AUTH-010', 'claims have the names that are configured, also inside of others'), () => {
    const claims = { 'https://a.example/tenant': 'acme', realm: { 'a/b': { roles: ['viewer'] } }, '/odd': 1 } as JWTPayload;
    expect(readClaim(claims, 'https://a.example/tenant')).toBe('acme');
    expect(readClaim(claims, '/realm/a~1b/roles')).toEqual(['viewer']);
    expect(readClaim(claims, '/odd')).toBe(1);
    for (const absent of ['realm/a', '/realm/none', '/realm/constructor', 'constructor', '/__proto__'])
      expect(readClaim(claims, absent)).toBeUndefined();
  });
});

describe('permissions', () => {
  it.each<[Role, readonly string[]]>([
    ['viewer', ['hooks.read', 'tools.read', 'runs.read', 'governance.read']],
    ['auditor', ['hooks.read', 'tools.read', 'runs.read', 'governance.read', 'governance.arguments.read']],
    ['operator', ['hooks.read', 'tools.read', 'runs.read', 'governance.read', 'runs.execute']],
    ['admin', permissions],
  ])(verifies('AUTH-006', '%s'), async (role, allowed) => {
    const { body } = await ask(await sign({ roles: [role, 'unknown', 'constructor'] }));
    expect(body.permissions).toEqual([...allowed].sort());
  });

  it(verifies('AUTH-006', 'no role, no permission'), async () => {
    for (const claim of [undefined, [], 'admin', { admin: true }, ['Admin']]) {
      expect(await ask(await sign({ roles: claim }))).toMatchObject({
        status: 403,
        body: { code: 'permission_denied', detail: expect.stringContaining('hooks.read') },
      });
    }
  });

  it(verifies('AUTH-007', 'a route that says nothing is refused, whoever asks'), async () => {
    const guard = new AuthenticationGuard(
      () => Promise.reject(new Error('asked')),
      () => Promise.resolve(),
    );
    const context = { getType: () => 'http', getHandler: () => function open() {}, getClass: () => class Silent {} } as never;
    await expect(guard.canActivate(context)).rejects.toThrow('Silent.open declares neither');
  });

  it(verifies('HTTP-009', 'a principal above its rate waits, others do not'), async () => {
    const greedy = await sign({ sub: 'greedy' });
    const statuses = new Set<number>();
    let last = await ask(greedy);
    for (let sent = 0; sent < 210 && last.status !== 429; sent++) statuses.add((last = await ask(greedy)).status);
    expect([...statuses]).toEqual([200, 429]);
    expect(last.body.code).toBe('rate_limited');
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(await sign({ sub: 'modest' }))).status).toBe(200);
    expect((await ask(await sign({ sub: 'greedy', tenant: 'other' }))).status).toBe(200);
  });
});

describe('keys', () => {
  let issuerServer: Server;
  let answer: { status: number; body: string };
  let url: string;
  beforeEach(async () => {
    answer = { status: 200, body: await jwks('one', publicKey) };
    issuerServer = createServer((_request, response) =>
      response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body),
    );
    await new Promise<void>((resolve) => issuerServer.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(issuerServer.address() as AddressInfo).port}/jwks`;
  });
  afterEach(() => void issuerServer.close().closeAllConnections());

  it(verifies('AUTH-008', 'an issuer that does not answer well is 503'), async () => {
    const other = await startService(MeModule, {
      Agentstration__Authentication__Mode: 'Jwt',
      Agentstration__Authentication__Issuer: issuer,
      Agentstration__Authentication__Audience: audience,
      Agentstration__Authentication__JwksUrl: url,
    });
    const status = async (): Promise<[number, string | null]> => {
      const response = await fetch(`${other.url}/me`, { headers: { Authorization: `Bearer ${await sign({ jti: crypto.randomUUID() })}` } });
      return [response.status, response.headers.get('retry-after')];
    };
    for (const bad of [
      { status: 500, body: '' },
      { status: 200, body: 'not json' },
      { status: 200, body: '{"keys":5}' },
    ]) {
      answer = bad;
      expect(await status()).toEqual([503, expect.stringMatching(/^\d+$/)]);
    }
    answer = { status: 200, body: await jwks('one', publicKey) };
    expect((await status())[0]).toBe(200);
    issuerServer.close().closeAllConnections();
    expect((await status())[0]).toBe(200);
    await other.stop();
  });

  it(verifies('AUTH-008', 'nobody listens: the keys are unavailable'), async () => {
    issuerServer.close().closeAllConnections();
    await expect(keysFromUrl(url)({ alg: 'RS256', kid: 'one' }, {} as never)).rejects.toThrow(KeysUnavailable);
  });

  it(verifies('AUTH-008', 'a file that changes is read again'), async () => {
    const next = await generateKeyPair('ES256');
    await writeFile(join(directory, 'jwks.json'), await jwks('next', next.publicKey));
    expect((await ask(await sign({ jti: 'x' }))).status).toBe(401);
    expect((await ask(await sign({}, { key: next.privateKey, alg: 'ES256', kid: 'next' }))).status).toBe(200);
    await writeFile(join(directory, 'jwks.json'), '{');
    expect((await ask(await sign({ jti: 'y' }))).status).toBe(503);
    await writeFile(join(directory, 'jwks.json'), await jwks('one', publicKey));
  });

  it('a key file without keys keeps the service from starting', async () => {
    await writeFile(join(directory, 'none.json'), '[]');
    const start = startService(MeModule, {
      Agentstration__Authentication__Mode: 'Jwt',
      Agentstration__Authentication__Issuer: issuer,
      Agentstration__Authentication__Audience: audience,
      Agentstration__Authentication__JwksFile: join(directory, 'none.json'),
    });
    await expect(start).rejects.toThrow('Agentstration:Authentication:JwksFile');
  });
});

describe('Development mode', () => {
  let development: RunningService;
  beforeAll(async () => void (development = await startService(MeModule)));
  afterAll(() => development.stop());

  it(verifies('AUTH-011', 'one key, made once, for its owner only'), async () => {
    const home = join(directory, 'data', 'deep');
    const made = await Promise.all(Array.from({ length: 10 }, () => developmentKey(home)));
    expect(new Set(made.map(({ d }) => d)).size).toBe(1);
    expect(await readdir(home)).toEqual(['development-key.json']);
    expect((await stat(join(home, 'development-key.json'))).mode & 0o777).toBe(0o600);
    expect((await stat(home)).mode & 0o777).toBe(0o700);
    await chmod(join(home, 'development-key.json'), 0o640);
    await expect(developmentKey(home)).rejects.toThrow(/readable by its owner only/);
    expect(JSON.parse(await readFile(join(home, 'development-key.json'), 'utf8'))).toMatchObject({ kty: 'EC', d: expect.any(String) });
  });

  it('its tokens are accepted there, and only there', async () => {
    const get = async (token: string): Promise<number> =>
      (await fetch(`${development.url}/me`, { headers: { Authorization: `Bearer ${token}` } })).status;
    expect(await get(await development.token({ workspaces: ['demo'], role: 'viewer' }))).toBe(200);
    expect(await get(await development.token({ workspaces: ['demo'], expiresInSeconds: -1 }))).toBe(401);
    expect(await get(await developmentToken({ dataDirectory: directory, tenant: 'local', workspaces: ['demo'], role: 'admin' }))).toBe(401);
  });

  it(verifies('AUTH-012', 'foreign hosts are refused before anything else'), async () => {
    for (const host of [
      'evil.example',
      'evil.example:5100',
      'localhost.evil.example',
      '10.0.0.1',
      '127.0.0.1.evil.example',
      '[::2]',
      '127.0.0.1@evil',
    ]) {
      const response = await development.raw('GET', '/livez', { Host: host });
      expect([host, response.status, ((await response.json()) as { code: string }).code]).toEqual([host, 403, 'host_denied']);
    }
    for (const host of ['localhost', 'LOCALHOST:5100', '127.0.0.1:1', '[::1]:5100'])
      expect((await development.raw('GET', '/livez', { Host: host })).status).toBe(200);
  });

  it(verifies('AUTH-012', 'it listens on loopback or not at all'), async () => {
    const other = await startService(MeModule);
    await other.stop();
    await expect(async () => other.application.listen(0, '0.0.0.0')).rejects.toThrow(/loopback only/);
  });
});
