import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Scope, type ToolDefinition, toCanonicalId } from '@agentstration/contracts';
import { type NatsServer, type NatsServerOptions, type PostgresServer, startNatsServer, startPostgres } from '@agentstration/local-servers';
import { loadConfiguration } from '@agentstration/service-kit';
import { PostgresResourceStore, applyDiscovery, closeDataSource, createDataSource } from '@agentstration/store';
import { provision } from '@agentstration/tool-executor';
import type { DataSource } from 'typeorm';
import { type OracleEntry, readOracle, testMcpServerPath } from '../mcp/test-server.ts';
import { type ExecutorProcess, startExecutor } from './executor-process.ts';
import { Requester } from './requester.ts';

export const workspace: Scope = { tenantId: 'acme', workspaceId: 'support' };

export interface SystemOptions {
  readonly nats?: NatsServerOptions;
  /** Tools of the test MCP server to enable, with settings beyond the defaults. */
  readonly tools?: Readonly<Record<string, Partial<ToolDefinition>>>;
  readonly environment?: NodeJS.ProcessEnv;
}

/** A NATS server, a PostgreSQL, a provisioned workspace with the test MCP server, and as many executors as are started. */
export class GovernanceSystem {
  readonly #executors: ExecutorProcess[] = [];
  readonly #requesters: Requester[] = [];

  private constructor(
    readonly directory: string,
    readonly nats: NatsServer,
    readonly postgres: PostgresServer,
    readonly environment: NodeJS.ProcessEnv,
    readonly dataSource: DataSource,
  ) {}

  static async start(options: SystemOptions = {}): Promise<GovernanceSystem> {
    const directory = await mkdtemp(join(tmpdir(), 'agentstration-system-'));
    const [nats, postgres] = await Promise.all([startNatsServer(options.nats), startPostgres()]);
    const databaseUrl = await postgres.createDatabase('system');
    const environment = { ...settings(directory, nats.url, databaseUrl), ...options.environment };
    await provision(loadConfiguration({ environment }));
    const dataSource = createDataSource({ url: databaseUrl, role: 'api', poolSize: 4 });
    const system = new GovernanceSystem(directory, nats, postgres, environment, dataSource);
    await system.#offerTools(options.tools ?? { ok: {} });
    return system;
  }

  /** Starts one more executor, in a process of its own. */
  async startExecutor(environment: NodeJS.ProcessEnv = {}, program?: string): Promise<ExecutorProcess> {
    const executor = await startExecutor({ ...this.environment, ...environment }, program);
    this.#executors.push(executor);
    return executor;
  }

  async requester(scope: Scope = workspace): Promise<Requester> {
    const requester = await Requester.connect(this.nats.url, scope);
    this.#requesters.push(requester);
    return requester;
  }

  /** What was really executed. */
  oracle(): Promise<readonly OracleEntry[]> {
    return readOracle(join(this.directory, 'oracle'));
  }

  get resources(): PostgresResourceStore {
    return new PostgresResourceStore(this.dataSource);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#requesters.map((requester) => requester.close()));
    await Promise.all(this.#executors.map((executor) => executor.process.stop()));
    await closeDataSource(this.dataSource);
    await Promise.all([this.nats.stop(), this.postgres.stop()]);
    await rm(this.directory, { recursive: true, force: true });
  }

  async #offerTools(tools: NonNullable<SystemOptions['tools']>): Promise<void> {
    const mcp = { transport: 'stdio', profile: 'test' };
    const definition = { displayName: 'Test', enabled: true, providerType: 'mcp', mcp };
    const key = { ...workspace, kind: 'ToolProvider', namespace: 'default', name: 'test' } as const;
    const { resource } = await this.resources.create(key, { labels: {}, annotations: {}, definition }, 'test');
    const offered = Object.keys(tools).map((externalName) => ({ externalName }));
    await applyDiscovery(this.dataSource, { scope: workspace, provider: resource, tools: offered, by: 'test' });
    for (const [name, own] of Object.entries(tools)) await this.setTool(name, { enabled: true, ...own });
  }

  /** Denies a tool of the test server by a hook resource. */
  async deny(name: string): Promise<void> {
    const selector = { tools: [`test.${name}`], providers: [], agents: [] };
    const configuration = { code: 'denied_here', message: 'Not here.' };
    const definition = { displayName: 'Deny', enabled: true, order: 0, handler: 'deny', selector, configuration };
    const key = { ...workspace, kind: 'ToolExecutionHook', namespace: 'default', name: `deny-${name}` } as const;
    await this.resources.create(key, { labels: {}, annotations: {}, definition }, 'test');
  }

  /** Changes the settings of a tool of the test server. */
  async setTool(name: string, own: Partial<ToolDefinition>): Promise<void> {
    const key = { ...workspace, kind: 'Tool', namespace: 'default', name: `test.${name}` } as const;
    const expected = await this.resources.get(key);
    if (!expected) throw new Error(`There is no tool ${toCanonicalId(key.namespace, key.name)}.`);
    const content = { labels: {}, annotations: {}, definition: { ...expected.definition, ...own } };
    await this.resources.replace(key, { expected, content }, 'test');
  }
}

const settings = (directory: string, natsUrl: string, databaseUrl: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  AGENTSTRATION_DATA: directory,
  Agentstration__Nats__Servers__0: natsUrl,
  Agentstration__Database__Url: databaseUrl,
  Agentstration__Authentication__Mode: 'Development',
  Agentstration__ToolExecution__AckWaitMs: '1000',
  Agentstration__ToolExecution__PublishTimeoutMs: '1000',
  Agentstration__ToolExecution__RedeliveryDelaysMs: '[200,400,800,1600]',
  Agentstration__ToolExecution__GracePeriodMs: '5000',
  Agentstration__ToolProviders__Stdio: JSON.stringify({
    test: { Command: process.execPath, Arguments: [testMcpServerPath, '--oracle', join(directory, 'oracle')], Workspaces: ['*'] },
  }),
});
