import type { DiscoveredTool } from '@agentstration/contracts';
import {
  type ConfiguredProvider,
  DiscoveryFailed,
  type Permit,
  type ProviderCall,
  type ProviderOutcome,
  type ToolDiscovery,
  type ToolProviders,
} from '@agentstration/governance';
import { AddressPolicy } from './address/address-policy.ts';
import { ExtensionDirectory, freshMs } from './aep/extension-directory.ts';
import { CallLimit } from './call/call-limit.ts';
import { type CallRoute, callTool } from './call/call-tool.ts';
import { ConnectionPool, type ConnectionTarget } from './connection/connection-pool.ts';
import { type DiscoveryContext, discoverTools } from './discover/discover-tools.ts';
import { ProviderFailure } from './failures/provider-failure.ts';
import { type Settings, type ToolProvidersOptions, withDefaults } from './options.ts';
import { resolveTarget } from './target/resolve-target.ts';

/** MCP servers over stdio and Streamable HTTP, and AEP extensions that map to them. */
export class McpToolProviders implements ToolProviders, ToolDiscovery {
  readonly #settings: Settings;
  readonly #context: DiscoveryContext;

  /** @throws TypeError when an entry of `allowedPrivateHosts` cannot be understood */
  constructor(options: ToolProvidersOptions = {}) {
    const settings = withDefaults(options);
    const target = { settings, policy: new AddressPolicy(settings.allowedPrivateHosts) };
    this.#settings = settings;
    this.#context = { ...target, pool: new ConnectionPool(settings), extensions: new ExtensionDirectory(target) };
  }

  /** Never rejects: every end of a call is an outcome. Nothing is sent twice, and nothing without its permit. */
  async call(permit: Permit, call: ProviderCall): Promise<ProviderOutcome> {
    const { now, onEvent } = this.#settings;
    const startedAt = now();
    const outcome = await callTool({ pool: this.#context.pool, now, route: (routed) => this.#route(routed) }, permit, call);
    const code = outcome.kind === 'answered' ? (outcome.isError ? 'tool_error' : 'ok') : outcome.code;
    onEvent({ type: 'call_ended', outcome: outcome.kind, code, durationMs: now() - startedAt });
    return outcome;
  }

  /** Rejects with {@link DiscoveryFailed}, whose codes are the `FailureCode`s. */
  async discover(provider: ConfiguredProvider): Promise<readonly DiscoveredTool[]> {
    const { now, onEvent, discoveryTimeoutMs } = this.#settings;
    const startedAt = now();
    const limit = new CallLimit(discoveryTimeoutMs, new AbortController().signal);
    let code = 'ok';
    try {
      return await limit.race(discoverTools(this.#context, provider, limit.signal));
    } catch (error) {
      const failure =
        error instanceof ProviderFailure ? error : new ProviderFailure('provider_protocol_error', 'Discovery failed.', { cause: error });
      code = failure.code;
      throw new DiscoveryFailed(failure.code, failure.message, { cause: failure });
    } finally {
      limit.release();
      onEvent({ type: 'discovery_ended', code, durationMs: now() - startedAt });
    }
  }

  /**
   * Connects ahead of a call, without calling anything, so that a slow start does not outlive the permit. Worth doing
   * while the hooks run. Never rejects: what fails here fails again, with its reason, in the call.
   */
  async prepare(provider: ConfiguredProvider): Promise<void> {
    try {
      const targets = await this.#targets(provider);
      await Promise.all(targets.map((target) => this.#context.pool.acquire(target)));
    } catch {
      // The call will tell.
    }
  }

  /** Ends every connection and every child process. Calls under way end as lost; later ones are not sent. */
  async close(): Promise<void> {
    await this.#context.pool.close();
  }

  /** Every server behind a provider, each once. */
  async #targets(provider: ConfiguredProvider): Promise<readonly ConnectionTarget[]> {
    const { definition } = provider;
    if (definition.providerType === 'mcp') return [await resolveTarget(this.#context, provider, definition.mcp)];
    const contributions = await this.#context.extensions.resolveAll(provider, definition.aep.extensionId, freshMs);
    return [...new Map(contributions.map(({ target }) => [target.key, target])).values()];
  }

  async #route({ provider, externalToolId }: ProviderCall): Promise<CallRoute> {
    const { definition } = provider;
    if (definition.providerType === 'mcp')
      return { target: await resolveTarget(this.#context, provider, definition.mcp), tool: externalToolId };
    const { contribution, target } = await this.#context.extensions.resolve(provider, definition.aep.extensionId, externalToolId);
    return { target, tool: contribution.mcp.tool };
  }
}
