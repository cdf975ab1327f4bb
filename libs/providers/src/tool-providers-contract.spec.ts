import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpConnection } from '@agentstration/contracts';
import type { ConfiguredProvider, ProviderOutcome } from '@agentstration/governance';
import { readOracle, startTestMcpServer, testMcpServerPath } from '@agentstration/test/mcp';
import { type ProvidersUnderTest, contractResultLimit, toolProvidersContract } from './contract-suite/index.ts';
import { FakeToolProviders } from './fake/index.ts';
import { McpToolProviders, type ToolProvidersOptions } from './index.ts';

const providerOf = (mcp: McpConnection): ConfiguredProvider => ({
  scope: { tenantId: 'local', workspaceId: 'demo' },
  providerId: 'everything',
  generation: 1,
  definition: { displayName: 'Test', enabled: true, providerType: 'mcp', mcp },
});

const refused = (code: 'provider_error' | 'provider_result_too_large'): ProviderOutcome => ({ kind: 'refused', code });

function startFake(): Promise<ProvidersUnderTest> {
  const tools = ['ok', 'hang', 'is-error'].map((externalName) => ({ externalName }));
  const providers = new FakeToolProviders()
    .script('ok', (call) => ({ kind: 'answered', isError: false, result: { content: [], structuredContent: call.arguments } }))
    .script('is-error', { kind: 'answered', isError: true, result: { content: [], isError: true } })
    .script('protocol-error', refused('provider_error'))
    .script('big', refused('provider_result_too_large'))
    .script('hang', () => new Promise(() => undefined))
    .offer('everything', tools);
  return Promise.resolve({
    providers,
    provider: providerOf({ transport: 'stdio', profile: 'fake' }),
    executed: () => Promise.resolve(providers.invocations.map(({ invocationId }) => invocationId)),
    dispose: () => providers.close(),
  });
}

interface Server {
  readonly mcp: McpConnection;
  readonly options: ToolProvidersOptions;
  stop(): Promise<unknown>;
}

const startReal = (startServer: (oracle: string) => Promise<Server>) => async (): Promise<ProvidersUnderTest> => {
  const directory = await mkdtemp(join(tmpdir(), 'providers-'));
  const oracle = join(directory, 'oracle.jsonl');
  const server = await startServer(oracle);
  const providers = new McpToolProviders({ ...server.options, maximumResultBytes: contractResultLimit });
  return {
    providers,
    provider: providerOf(server.mcp),
    executed: async () => (await readOracle(oracle)).filter(({ event }) => event === 'call').map(({ invocationId = '' }) => invocationId),
    dispose: async () => {
      await providers.close();
      await server.stop();
      await rm(directory, { recursive: true });
    },
  };
};

const overStdio = (oracle: string): Promise<Server> =>
  Promise.resolve({
    mcp: { transport: 'stdio', profile: 'test' },
    options: { stdio: { test: { Command: process.execPath, Arguments: [testMcpServerPath, '--oracle', oracle], Workspaces: ['*'] } } },
    stop: () => Promise.resolve(),
  });

const overHttp =
  (...flags: string[]) =>
  async (oracle: string): Promise<Server> => {
    const server = await startTestMcpServer(['--oracle', oracle, ...flags]);
    return {
      mcp: { transport: 'streamableHttp', endpoint: server.url },
      options: { allowedPrivateHosts: ['127.0.0.0/8'] },
      stop: () => server.stop(),
    };
  };

toolProvidersContract('fake', startFake);
toolProvidersContract('MCP over stdio', startReal(overStdio));
toolProvidersContract('MCP over Streamable HTTP, event streams', startReal(overHttp()));
toolProvidersContract('MCP over Streamable HTTP, JSON without sessions', startReal(overHttp('--answers', 'json', '--sessions', 'off')));
