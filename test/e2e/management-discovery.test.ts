import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@agentstration/local-servers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestMcpServer, startTestMcpServer, testMcpServerPath } from '../support/mcp/test-server.ts';
import { type ExecutorProcess, startExecutor } from '../support/system/executor-process.ts';
import { verifies } from '../support/verifies.ts';
import { type AnswerBody, type ManagementRig, provider, startManagement } from './management-rig.ts';

let rig: ManagementRig;
let executor: ExecutorProcess;
let mcp: TestMcpServer;
let extension: Server;
let directory: string;
/** What the extension answers next. */
let descriptor: unknown;

const stdio = (...flags: string[]) => ({ Command: process.execPath, Arguments: [testMcpServerPath, ...flags], Workspaces: ['*'] });
const list = () => join(directory, 'tools.json');

/** The API in this process, an executor in its own, MCP servers of every kind, and an extension. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'discovery-'));
  await offer([]);
  [rig, mcp] = await Promise.all([startManagement(), startTestMcpServer()]);
  extension = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(typeof descriptor === 'string' ? descriptor : JSON.stringify(descriptor));
  }).listen(0, '127.0.0.1');
  await eventually(() => expect(extension.listening).toBe(true));
  const { port } = extension.address() as AddressInfo;
  const profiles = {
    listed: stdio('--tool-list', list(), '--pages', '7'),
    looping: stdio('--looping-cursor'),
    endless: stdio('--endless-pages'),
    twice: stdio('--duplicate-names'),
    dying: stdio('--die-at-start'),
    private: { ...stdio(), Workspaces: ['other'] },
  };
  executor = await startExecutor({
    PATH: process.env.PATH,
    Agentstration__Database__Url: rig.databaseUrl,
    Agentstration__Nats__Servers__0: rig.nats.url,
    Agentstration__Authentication__Mode: 'Development',
    Agentstration__DataDirectory: directory,
    Agentstration__ToolProviders__Stdio: JSON.stringify(profiles),
    Agentstration__ToolProviders__AllowedPrivateHosts: JSON.stringify([`127.0.0.1:${mcp.port}`, `127.0.0.1:${port}`]),
    Agentstration__Extensions: JSON.stringify({ 'sample.hello': { Endpoint: `http://127.0.0.1:${port}/hello`, Workspaces: ['*'] } }),
  });
}, 240_000);
afterAll(async () => {
  await executor?.process.stop();
  await Promise.all([rig?.stop(), mcp?.stop()]);
  extension?.close();
  await rm(directory, { recursive: true, force: true });
});

const offer = (names: readonly string[], more: object = {}) =>
  writeFile(list(), JSON.stringify(names.map((name) => ({ name, inputSchema: { type: 'object' }, ...more }))));
const refresh = async (name: string) => {
  const { status, body } = await rig.call('POST', `/api/toolproviders/${name}/refresh`);
  return { status, body: body as unknown as Record<string, unknown> };
};
const statusOf = async (name: string) => (await rig.call('GET', `/api/toolproviders/${name}`)).body.status;
const toolsOf = async (name: string): Promise<AnswerBody[]> => {
  const { body } = await rig.call('GET', '/api/tools?limit=200');
  return body.items.filter(({ metadata }) => metadata.name.startsWith(`${name}.`));
};
const register = (name: string, mcpOfIt: object) => rig.call('POST', '/api/toolproviders', { body: provider(name, { mcp: mcpOfIt }) });
const stdioProvider = (profile: string, name = profile) => register(name, { transport: 'stdio', profile });

describe('discovery through a real executor', () => {
  it(
    verifies(['DISC-001', 'DISC-005'], '101 tools over several pages, then none, then all of them again'),
    async () => {
      await stdioProvider('listed', 'many');
      const names = Array.from({ length: 101 }, (_, index) => `tool_${index}`);
      await offer(names);
      expect(await refresh('many')).toEqual({ status: 200, body: { new: 101, changed: 0, unchanged: 0, unavailable: 0, refused: [] } });
      expect((await refresh('many')).body).toMatchObject({ new: 0, unchanged: 101 });
      expect((await toolsOf('many')).map(({ status }) => (status as { externalName: string }).externalName).sort()).toEqual(
        names.toSorted(),
      );

      const { etag } = await rig.call('GET', '/api/tools/many.tool_7');
      const body = { definition: { enabled: true, timeoutMs: 5000 } };
      expect((await rig.call('PATCH', '/api/tools/many.tool_7', { body, headers: { 'If-Match': etag } })).status).toBe(200);
      await offer([]);
      expect((await refresh('many')).body).toEqual({ new: 0, changed: 0, unchanged: 0, unavailable: 101, refused: [] });
      expect(new Set((await toolsOf('many')).map(({ status }) => (status as { available: boolean }).available))).toEqual(new Set([false]));
      await offer(names, { description: 'Back.' });
      expect((await refresh('many')).body).toEqual({ new: 0, changed: 101, unchanged: 0, unavailable: 0, refused: [] });
      expect((await rig.call('GET', '/api/tools/many.tool_7')).body).toMatchObject({
        definition: { enabled: true, timeoutMs: 5000 },
        status: { available: true, description: 'Back.' },
      });
    },
    240_000,
  );

  it(verifies('DISC-006', 'names that would collide get names of their own; where none is left, the status says so'), async () => {
    await stdioProvider('listed', 'alike');
    const hashOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 8);
    await offer(['read file', 'read/file', 'read-file']);
    expect((await refresh('alike')).body).toMatchObject({ new: 3, refused: [] });
    expect((await toolsOf('alike')).map(({ metadata }) => metadata.name)).toEqual(
      ['alike.read-file', `alike.read-file-${hashOf('read file')}`, `alike.read-file-${hashOf('read/file')}`].sort(),
    );
    await offer(['read file', 'list all', `list-all-${hashOf('list all')}`]);
    expect((await refresh('alike')).body).toMatchObject({ new: 1, unavailable: 2, refused: ['list all'] });
    expect(await statusOf('alike')).toMatchObject({ refusedNames: ['list all'], conditions: [{ type: 'Ready', status: 'True' }] });
  });

  it.each([
    ['looping', 'tool_list_endless'],
    ['endless', 'tool_list_endless'],
    ['twice', 'tool_name_duplicate'],
    ['dying', 'provider_unavailable'],
    ['private', 'profile_not_permitted'],
    ['absent', 'profile_not_permitted'],
  ])(
    verifies('DISC-002', 'the profile %s is 502 and %s in the status; no tool is made'),
    async (profile, code) => {
      await stdioProvider(profile);
      expect(await refresh(profile)).toMatchObject({
        status: 502,
        body: { code: 'provider_failed', reason: code, detail: expect.stringContaining(code) },
      });
      expect(await statusOf(profile)).toMatchObject({
        lastErrorCode: code,
        conditions: [{ type: 'Ready', status: 'False', reason: code }],
      });
      expect(await toolsOf(profile)).toEqual([]);
    },
    240_000,
  );

  it(verifies('DISC-008', 'an unknown profile is answered with those that are open to the workspace, and no others'), async () => {
    await stdioProvider('mistyped');
    const { detail } = (await refresh('mistyped')).body as { detail: string };
    expect(detail).toMatch(/"mistyped" is open to the Workspace; these are: .*dying, .*looping/);
    expect(detail).not.toContain('private');
  });

  it(verifies('DISC-005', 'a list that turns bad takes away nothing'), async () => {
    await stdioProvider('listed', 'turning');
    await offer(['a', 'b']);
    await refresh('turning');
    await offer(['a', 'a']);
    expect(await refresh('turning')).toMatchObject({ status: 502 });
    expect((await toolsOf('turning')).map(({ status }) => status)).toMatchObject([{ available: true }, { available: true }]);
  });

  it(verifies('DISC-002', 'an address inside that the host does not allow is refused'), async () => {
    await register('inside', { transport: 'streamableHttp', endpoint: 'http://169.254.169.254/mcp' });
    expect(await refresh('inside')).toMatchObject({ status: 502 });
    expect(await statusOf('inside')).toMatchObject({ lastErrorCode: 'address_not_permitted' });
  });
});

describe('discovery of an AEP extension', () => {
  const contribution = (id: string, tool = 'ok', server = 'main') => ({ id, displayName: `The ${id}`, mcp: { server, tool } });
  const valid = () => ({
    protocolVersion: '2026-08-01',
    extension: { id: 'sample.hello', name: 'Hello', version: '1.0.0' },
    capabilities: {},
    contributions: { tools: [contribution('say-hello'), contribution('fail', 'is-error')] },
    mcp: { servers: [{ id: 'main', endpoint: mcp.url }] },
  });
  type Descriptor = ReturnType<typeof valid>;
  beforeAll(() =>
    rig.call('POST', '/api/toolproviders', {
      body: {
        ...{ apiVersion: 'agentstration.io/v1', kind: 'ToolProvider', metadata: { name: 'hello' } },
        definition: { displayName: 'Hello', enabled: true, providerType: 'aep', aep: { extensionId: 'sample.hello' } },
      },
    }),
  );

  it(verifies('DISC-007', 'offers its contributions, by their own ids'), async () => {
    descriptor = valid();
    expect(await refresh('hello')).toMatchObject({ status: 200, body: { new: 2 } });
    expect((await toolsOf('hello')).map(({ metadata }) => metadata.name)).toEqual(['hello.fail', 'hello.say-hello']);
  });

  it.each<[string, string, (from: Descriptor) => unknown]>([
    [
      'a contribution twice',
      'extension_descriptor_invalid',
      (from) => ({ ...from, contributions: { tools: [contribution('x'), contribution('x')] } }),
    ],
    [
      'a server twice',
      'extension_descriptor_invalid',
      (from) => ({ ...from, mcp: { servers: [from.mcp.servers[0], from.mcp.servers[0]] } }),
    ],
    [
      'a server that it does not have',
      'extension_descriptor_invalid',
      (from) => ({ ...from, contributions: { tools: [contribution('x', 'ok', 'y')] } }),
    ],
    ['another revision', 'extension_descriptor_invalid', (from) => ({ ...from, protocolVersion: '2020-01-01' })],
    ['duplicate keys', 'extension_descriptor_invalid', (from) => JSON.stringify(from).replace('{', '{"capabilities":{},')],
    ['no JSON', 'extension_descriptor_invalid', () => 'hello'],
    ['another identity', 'extension_identity_mismatch', (from) => ({ ...from, extension: { ...from.extension, id: 'sample.other' } })],
    ['a bad endpoint', 'endpoint_invalid', (from) => ({ ...from, mcp: { servers: [{ id: 'main', endpoint: 'ftp://tools.example/' }] } })],
    [
      'an endpoint inside',
      'address_not_permitted',
      (from) => ({ ...from, mcp: { servers: [{ id: 'main', endpoint: 'http://10.0.0.1/mcp' }] } }),
    ],
    [
      'a tool that its server does not have',
      'extension_tool_missing',
      (from) => ({ ...from, contributions: { tools: [contribution('x', 'y')] } }),
    ],
  ])(verifies('DISC-007', 'with %s is refused whole: %s'), async (_what, code, spoil) => {
    descriptor = spoil(valid());
    expect(await refresh('hello')).toMatchObject({ status: 502, body: { code: 'provider_failed' } });
    expect(await statusOf('hello')).toMatchObject({ lastErrorCode: code });
    expect((await toolsOf('hello')).map(({ status }) => status)).toMatchObject([{ available: true }, { available: true }]);
  });
});
