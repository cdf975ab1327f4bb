import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpConnection } from '@agentstration/contracts';
import type { ConfiguredProvider, ProviderCall, ProviderOutcome } from '@agentstration/governance';
import { type OracleEntry, type TestMcpServer, readOracle, startTestMcpServer, testMcpServerPath } from '@agentstration/test/mcp';
import { McpToolProviders } from '../mcp-tool-providers.ts';
import type { ProviderEvent, StdioProfile, ToolProvidersOptions } from '../options.ts';
import { issuePermit } from './issue-permit.ts';

/** A provider of that connection, in the Workspace `local/demo` unless told otherwise. */
export const providerOf = (mcp: McpConnection, more: Partial<ConfiguredProvider> = {}): ConfiguredProvider => ({
  scope: { tenantId: 'local', workspaceId: 'demo' },
  providerId: 'everything',
  generation: 1,
  definition: { displayName: 'Test', enabled: true, providerType: 'mcp', mcp },
  ...more,
});

export interface BenchCall extends Partial<ProviderCall> {
  /** Of the permit. */
  readonly lifetimeMs?: number;
}

/** Real servers with an oracle, real providers, and what they reported; all gone after {@link close}. */
export class TestBench {
  readonly events: ProviderEvent[] = [];
  readonly logged: unknown[] = [];
  readonly #ends: (() => Promise<unknown>)[] = [];

  private constructor(readonly directory: string) {}

  static async open(): Promise<TestBench> {
    return new TestBench(await mkdtemp(join(tmpdir(), 'providers-')));
  }

  get oracle(): string {
    return join(this.directory, 'oracle.jsonl');
  }

  /** A server over Streamable HTTP. */
  async serve(...flags: string[]): Promise<TestMcpServer> {
    const server = await startTestMcpServer(['--oracle', this.oracle, ...flags]);
    this.#ends.push(() => server.stop());
    return server;
  }

  /** A stdio profile that starts the test server. */
  profile(...flags: string[]): StdioProfile {
    return { Command: process.execPath, Arguments: [testMcpServerPath, '--oracle', this.oracle, ...flags], Workspaces: ['*'] };
  }

  /** Providers that may reach loopback, unless the options say otherwise. */
  providers(options: ToolProvidersOptions = {}): McpToolProviders {
    const log = (...line: unknown[]): void => void this.logged.push(line);
    const providers = new McpToolProviders({
      allowedPrivateHosts: ['127.0.0.0/8'],
      onEvent: (event) => this.events.push(event),
      logger: { info: log, warn: log },
      ...options,
    });
    this.#ends.unshift(() => providers.close());
    return providers;
  }

  /** Calls a tool under a permit of its own. */
  async call(providers: McpToolProviders, provider: ConfiguredProvider, tool: string, more: BenchCall = {}): Promise<ProviderOutcome> {
    const { lifetimeMs = 60_000, ...call } = more;
    const permit = await issuePermit({ providerId: provider.providerId, externalToolId: tool, lifetimeMs });
    const signal = new AbortController().signal;
    return providers.call(permit, { provider, externalToolId: tool, arguments: {}, timeoutMs: 20_000, signal, ...call });
  }

  /** The oracle's entries. */
  told(): Promise<readonly OracleEntry[]> {
    return readOracle(this.oracle);
  }

  /** The tools that were really executed, in order. */
  async executed(): Promise<readonly (string | undefined)[]> {
    return (await this.told()).filter(({ event }) => event === 'call').map(({ tool }) => tool);
  }

  count(type: ProviderEvent['type']): number {
    return this.events.filter((event) => event.type === type).length;
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end();
    await rm(this.directory, { recursive: true, force: true });
  }
}
