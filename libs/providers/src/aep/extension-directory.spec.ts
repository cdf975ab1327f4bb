import { type Server, createServer } from 'node:http';
import type { ConfiguredProvider } from '@agentstration/governance';
import { eventually } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestBench } from '../contract-suite/test-bench.ts';
import type { ToolProvidersOptions } from '../options.ts';

interface Extension {
  readonly url: string;
  /** What the extension answers next. */
  answer: unknown;
  requests: number;
}

let bench: TestBench;
let server: Server;
let extension: Extension;

/** An extension whose MCP server is the test server, behind the same origin. */
beforeEach(async () => {
  bench = await TestBench.open();
  server = createServer((request, response) => {
    extension.requests += 1;
    if (request.url !== '/hello/.well-known/aep') return response.writeHead(404).end();
    const { answer } = extension;
    if (typeof answer === 'number') return response.writeHead(answer, { location: '/elsewhere' }).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await eventually(() => expect(server.listening).toBe(true));
  const { port } = server.address() as { port: number };
  extension = { url: `http://127.0.0.1:${port}/hello`, answer: {}, requests: 0 };
});
afterEach(async () => {
  await bench.close();
  server.close();
});

const contribution = (id: string, tool: string, more: object = {}) => ({
  id,
  displayName: `The ${id}`,
  mcp: { server: 'main', tool },
  ...more,
});

const descriptorOf = (endpoint: string, more: object = {}) => ({
  protocolVersion: '2026-08-01',
  extension: { id: 'sample.hello', name: 'Hello', version: '1.0.0' },
  capabilities: {},
  contributions: { tools: [contribution('say-hello', 'ok'), contribution('fail', 'is-error', { description: 'Fails.' })] },
  mcp: { servers: [{ id: 'main', endpoint }] },
  ...more,
});

const provider: ConfiguredProvider = {
  scope: { tenantId: 'local', workspaceId: 'demo' },
  providerId: 'hello',
  generation: 1,
  definition: { displayName: 'Hello', enabled: true, providerType: 'aep', aep: { extensionId: 'sample.hello' } },
};

const providersOf = (options: ToolProvidersOptions = {}) =>
  bench.providers({ extensions: { 'sample.hello': { Endpoint: extension.url, Workspaces: ['demo'] } }, ...options });

describe('an AEP extension', () => {
  it(verifies('PROV-025', 'is called under the ids of its contributions, by the tools behind them'), async () => {
    extension.answer = descriptorOf((await bench.serve()).url);
    const providers = providersOf();
    const outcome = await bench.call(providers, provider, 'say-hello', { arguments: { message: 'hi' } });
    expect(outcome).toMatchObject({ kind: 'answered', result: { structuredContent: { message: 'hi' } } });
    expect(await bench.call(providers, provider, 'fail')).toMatchObject({ kind: 'answered', isError: true });
    expect(await bench.executed()).toEqual(['ok', 'is-error']);
    expect(await bench.call(providers, provider, 'ok')).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
    expect(extension.requests).toBe(1);
  });

  it(verifies(['PROV-025', 'PROV-002'], 'needs a permit like any other provider'), async () => {
    extension.answer = descriptorOf((await bench.serve()).url);
    expect(await bench.call(providersOf(), provider, 'say-hello', { lifetimeMs: 0 })).toEqual({ kind: 'not_sent', code: 'permit_expired' });
    expect(await bench.executed()).toEqual([]);
  });

  it(verifies('PROV-025', 'offers its contributions with their names and the schemas of the tools'), async () => {
    extension.answer = descriptorOf((await bench.serve()).url);
    expect(await providersOf().discover(provider)).toEqual([
      { externalName: 'say-hello', title: 'The say-hello', description: 'Answers its arguments.', inputSchema: { type: 'object' } },
      { externalName: 'fail', title: 'The fail', description: 'Fails.', inputSchema: { type: 'object' } },
    ]);
  });

  it(verifies('PROV-025', 'is refused when a tool that it names does not exist'), async () => {
    const tools = [contribution('say-hello', 'no-such-tool')];
    extension.answer = descriptorOf((await bench.serve()).url, { contributions: { tools } });
    await expect(providersOf().discover(provider)).rejects.toMatchObject({ code: 'extension_tool_missing' });
  });

  it(verifies('PROV-025', 'is connected ahead of the call'), async () => {
    extension.answer = descriptorOf((await bench.serve()).url);
    const providers = providersOf();
    await providers.prepare(provider);
    expect(bench.count('connection_opened')).toBe(1);
    await bench.call(providers, provider, 'say-hello');
    expect(bench.count('connection_opened')).toBe(1);
  });

  it(verifies('PROV-026', 'has relative endpoints below its own, trusted like its own'), async () => {
    extension.answer = descriptorOf('mcp');
    const providers = providersOf({ allowedPrivateHosts: [] });
    await expect(providers.discover(provider)).rejects.toMatchObject({ code: 'provider_error' });
    expect(extension.requests).toBe(2);
  });

  it.each(['absolute', 'protocol-relative', 'with backslashes'])('has its %s endpoints judged like any other', async (form) => {
    const { url, port } = await bench.serve();
    extension.answer = descriptorOf(
      { absolute: url, 'protocol-relative': `//127.0.0.1:${port}/mcp`, 'with backslashes': `\\\\127.0.0.1:${port}\\mcp` }[form] ?? '',
    );
    const providers = providersOf({ allowedPrivateHosts: [] });
    await expect(providers.discover(provider)).rejects.toMatchObject({ code: 'address_not_permitted' });
    expect(await bench.call(providers, provider, 'say-hello')).toEqual({ kind: 'not_sent', code: 'provider_not_permitted' });
    expect(await bench.executed()).toEqual([]);
  });

  it(verifies('PROV-024', 'is open to its Workspaces only'), async () => {
    extension.answer = descriptorOf((await bench.serve()).url);
    const stranger = { ...provider, scope: { tenantId: 'local', workspaceId: 'stranger' } };
    expect(await bench.call(providersOf(), stranger, 'say-hello')).toEqual({ kind: 'not_sent', code: 'provider_not_permitted' });
    await expect(providersOf({ extensions: {} }).discover(provider)).rejects.toMatchObject({ code: 'extension_not_permitted' });
    expect(extension.requests).toBe(0);
  });
});

describe('a descriptor', () => {
  const good = descriptorOf('https://tools.example/mcp');
  const tools = good.contributions.tools;
  const twice = JSON.stringify(good).replace('"capabilities":{}', '"capabilities":{},"capabilities":{}');

  it.each<[string, unknown]>([
    ['no JSON', 'hello'],
    ['a key twice', twice],
    ['no object', []],
    ['more than 1 MiB', { ...good, more: 'x'.repeat(1024 * 1024) }],
    ['another revision', { ...good, protocolVersion: '2027-01-01' }],
    ['no servers', { ...good, mcp: {} }],
    ['a server twice', { ...good, mcp: { servers: [...good.mcp.servers, ...good.mcp.servers] } }],
    ['a contribution twice', { ...good, contributions: { tools: [...tools, ...tools] } }],
    ['an unknown server', { ...good, mcp: { servers: [{ id: 'other', endpoint: 'mcp' }] } }],
    ['a contribution without a name', { ...good, contributions: { tools: [{ ...tools[0], displayName: '' }] } }],
    ['a control character in an id', { ...good, contributions: { tools: [{ ...tools[0], id: 'a\u0000b' }] } }],
    ['NUL in a description', { ...good, contributions: { tools: [{ ...tools[0], description: 'a\u0000b' }] } }],
    ['a redirect', 307],
    ['a server error', 500],
  ])('with %s is refused', async (_, answer) => {
    extension.answer = answer;
    await expect(providersOf().discover(provider)).rejects.toMatchObject({ code: 'extension_descriptor_invalid' });
    expect(await bench.call(providersOf(), provider, 'say-hello')).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
  });

  it(verifies('PROV-024', 'of another extension is refused'), async () => {
    extension.answer = { ...good, extension: { ...good.extension, id: 'sample.other' } };
    await expect(providersOf().discover(provider)).rejects.toMatchObject({ code: 'extension_identity_mismatch' });
  });

  it.each(['ftp://tools.example/mcp', 'https://user:password@tools.example/mcp', 'http://'])(
    'with the endpoint %s is refused',
    async (endpoint) => {
      extension.answer = descriptorOf(endpoint);
      await expect(providersOf().discover(provider)).rejects.toMatchObject({ code: 'endpoint_invalid' });
    },
  );

  it(verifies('PROV-024', 'that cannot be fetched is asked for again by the next call'), async () => {
    const { url } = await bench.serve();
    extension.answer = 503;
    const providers = providersOf();
    expect(await bench.call(providers, provider, 'say-hello')).toMatchObject({ kind: 'not_sent' });
    extension.answer = descriptorOf(url);
    expect(await bench.call(providers, provider, 'say-hello')).toMatchObject({ kind: 'answered' });
  });
});
