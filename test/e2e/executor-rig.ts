import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo } from 'node:net';
import { type Server, createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope, ToolDefinition } from '@agentstration/contracts';
import { type OracleEntry, type TestMcpServer, readOracle, startTestMcpServer, testMcpServerPath } from '../support/mcp/test-server.ts';
import { type ExecutorProcess, startExecutor } from '../support/system/executor-process.ts';
import { Requester } from '../support/system/requester.ts';
import { type ManagementRig, hook, startManagement } from './management-rig.ts';

export const scope: Scope = { tenantId: 'acme', workspaceId: 'demo' };

export interface GovernedOptions {
  /** Tools of the test MCP server to enable in the provider `test`, with settings beyond the defaults. */
  readonly tools: Readonly<Record<string, Partial<ToolDefinition>>>;
  readonly environment?: NodeJS.ProcessEnv;
}

/** The management API in this process, executors in their own, an MCP server and an AEP extension that maps to another one. */
export interface Governed extends ManagementRig {
  readonly requester: Requester;
  /** Everything that was executed, by any server. */
  oracle(): Promise<readonly OracleEntry[]>;
  /** Those that were started and not killed. */
  readonly executors: readonly ExecutorProcess[];
  startExecutor(): Promise<ExecutorProcess>;
  /** Kills every executor that runs. */
  killExecutors(): Promise<void>;
  /** Writes a hook that denies the calls of one agent; answers when it holds. */
  guard(agentId: string): Promise<void>;
}

/** Starts everything, with one executor, and lets the management API discover and enable the tools through it. */
export async function startGoverned(options: GovernedOptions): Promise<Governed> {
  const directory = await mkdtemp(join(tmpdir(), 'governed-'));
  const oracle = join(directory, 'oracle');
  const mcpServer = await startTestMcpServer(['--oracle', oracle]);
  const extension = await startExtension(mcpServer, Object.keys(options.tools));
  const environment = { ...settings(oracle, extension), ...options.environment };
  const rig = await startManagement(environment);
  const requester = await Requester.connect(rig.nats.url, scope);
  const executors: ExecutorProcess[] = [];
  const governed: Governed = {
    ...rig,
    requester,
    executors,
    oracle: () => readOracle(oracle),
    startExecutor: async () => {
      const connected = { Agentstration__Database__Url: rig.databaseUrl, Agentstration__Nats__Servers__0: rig.nats.url };
      const executor = await startExecutor({ PATH: process.env.PATH, ...environment, ...connected });
      executors.push(executor);
      return executor;
    },
    killExecutors: async () => void (await Promise.all(executors.splice(0).map((executor) => executor.process.kill('SIGKILL')))),
    guard: async (agentId) => {
      const selector = { tools: [], providers: [], agents: [agentId] };
      await expectStatus(rig.call('POST', '/api/toolexecutionhooks', { body: hook(`guard-${agentId}`, { selector }) }), 201);
    },
    stop: async () => {
      await requester.close();
      await Promise.all(executors.map((executor) => executor.process.stop()));
      await rig.stop();
      await mcpServer.stop();
      await new Promise((resolve) => extension.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
  await governed.startExecutor();
  await offer(rig, options);
  return governed;
}

/** An AEP extension whose contributions are the tools of an MCP server. */
async function startExtension({ url }: TestMcpServer, tools: readonly string[]): Promise<Server> {
  const descriptor = {
    protocolVersion: '2026-08-01',
    extension: { id: 'sample.test', name: 'Test', version: '1.0.0' },
    capabilities: [],
    contributions: { tools: tools.map((tool) => ({ id: tool, displayName: tool, mcp: { server: 'main', tool } })) },
    mcp: { servers: [{ id: 'main', endpoint: url }] },
  };
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(descriptor)),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return server;
}

const settings = (oracle: string, extension: Server): NodeJS.ProcessEnv => ({
  Agentstration__Authentication__Mode: 'Development',
  Agentstration__ToolExecution__AckWaitMs: '1000',
  Agentstration__ToolExecution__RedeliveryDelaysMs: '[200,400,800,1600]',
  Agentstration__ToolProviders__AllowedPrivateHosts: '["127.0.0.0/8"]',
  Agentstration__ToolProviders__Stdio: JSON.stringify({
    test: { Command: process.execPath, Arguments: [testMcpServerPath, '--oracle', oracle], Workspaces: ['*'] },
  }),
  Agentstration__Extensions: JSON.stringify({
    'sample.test': { Endpoint: `http://127.0.0.1:${(extension.address() as AddressInfo).port}`, Workspaces: ['*'] },
  }),
});

const definitions = {
  test: { displayName: 'Test', enabled: true, providerType: 'mcp', mcp: { transport: 'stdio', profile: 'test' } },
  extended: { displayName: 'Extended', enabled: true, providerType: 'aep', aep: { extensionId: 'sample.test' } },
};

async function offer(rig: ManagementRig, { tools }: GovernedOptions): Promise<void> {
  for (const [name, definition] of Object.entries(definitions)) {
    const body = { apiVersion: 'agentstration.io/v1', kind: 'ToolProvider', metadata: { name }, definition };
    await expectStatus(rig.call('POST', '/api/toolproviders', { body }), 201);
    await expectStatus(rig.call('POST', `/api/toolproviders/${name}/refresh`), 200);
    for (const [tool, own] of Object.entries(tools)) {
      const path = `/api/tools/${name}.${tool}`;
      const { etag } = await rig.call('GET', path);
      const patch = { definition: { enabled: true, ...own } };
      await expectStatus(rig.call('PATCH', path, { body: patch, headers: { 'If-Match': etag } }), 200);
    }
  }
}

async function expectStatus(answering: ReturnType<ManagementRig['call']>, wanted: number): Promise<void> {
  const { status, text } = await answering;
  if (status !== wanted) throw new Error(`${status} instead of ${wanted}: ${text}`);
}
