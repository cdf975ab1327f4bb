import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Scope, type ToolDefinition, toCanonicalId } from '@agentstration/contracts';
import {
  type NatsServer,
  type NatsServerOptions,
  type PostgresServer,
  eventually,
  startNatsServer,
  startPostgres,
} from '@agentstration/local-servers';
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
  /** Several brokers that replicate every stream, in the place of one. */
  readonly cluster?: () => Promise<readonly NatsServer[]>;
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
    readonly brokers: readonly NatsServer[],
    readonly postgres: PostgresServer,
    readonly environment: NodeJS.ProcessEnv,
    readonly dataSource: DataSource,
  ) {}

  static async start(options: SystemOptions = {}): Promise<GovernanceSystem> {
    const directory = await mkdtemp(join(tmpdir(), 'agentstration-system-'));
    const startBrokers = options.cluster ?? (async () => [await startNatsServer(options.nats)]);
    const [brokers, postgres] = await Promise.all([startBrokers(), startPostgres()]);
    const databaseUrl = await postgres.createDatabase('system');
    const environment = { ...settings(directory, brokers, databaseUrl), ...options.environment };
    // A cluster that has just started may not have elected anybody yet.
    await eventually(() => provision(loadConfiguration({ environment })), { within: brokers.length > 1 ? 30_000 : 0, every: 200 });
    const dataSource = createDataSource({ url: databaseUrl, role: 'api', poolSize: 4 });
    const system = new GovernanceSystem(directory, brokers, postgres, environment, dataSource);
    await system.#offerTools(options.tools ?? { ok: {} });
    return system;
  }

  /** The only broker, or the first. */
  get nats(): NatsServer {
    return this.brokers[0] as NatsServer;
  }

  /** Starts one more executor, in a process of its own. */
  async startExecutor(environment: NodeJS.ProcessEnv = {}, program?: string): Promise<ExecutorProcess> {
    const executor = await startExecutor({ ...this.environment, ...environment }, program);
    this.#executors.push(executor);
    return executor;
  }

  async requester(scope: Scope = workspace): Promise<Requester> {
    const requester = await Requester.connect(
      this.brokers.map(({ url }) => url),
      scope,
    );
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
    await Promise.all([...this.brokers, this.postgres].map((server) => server.stop()));
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

  /** Changes the settings of a tool of the test server. */
  async setTool(name: string, own: Partial<ToolDefinition>): Promise<void> {
    const key = { ...workspace, kind: 'Tool', namespace: 'default', name: `test.${name}` } as const;
    const expected = await this.resources.get(key);
    if (!expected) throw new Error(`There is no tool ${toCanonicalId(key.namespace, key.name)}.`);
    const content = { labels: {}, annotations: {}, definition: { ...expected.definition, ...own } };
    await this.resources.replace(key, { expected, content }, 'test');
  }
}

const settings = (directory: string, brokers: readonly NatsServer[], databaseUrl: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  AGENTSTRATION_DATA: directory,
  ...Object.fromEntries(brokers.map(({ url }, index) => [`Agentstration__Nats__Servers__${index}`, url])),
  Agentstration__Journal__Replicas: String(brokers.length),
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
