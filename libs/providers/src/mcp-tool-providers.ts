import type { ConfiguredProvider, Permit, ProviderCall, ProviderOutcome, ToolDiscovery, ToolProviders } from '@agentstration/governance';
import type { DiscoveredTool } from '@agentstration/contracts';
import { DiscoveryFailed } from '@agentstration/governance';
import { type Settings, type ToolProvidersOptions, withDefaults } from './options.ts';

/** MCP servers over stdio and Streamable HTTP, and AEP extensions that map to them. */
export class McpToolProviders implements ToolProviders, ToolDiscovery {
  readonly #settings: Settings;

  constructor(options: ToolProvidersOptions = {}) {
    this.#settings = withDefaults(options);
  }

  /** Never rejects: every end of a call is an outcome. */
  call(_permit: Permit, _call: ProviderCall): Promise<ProviderOutcome> {
    return Promise.resolve({ kind: 'not_sent', code: 'provider_unavailable' });
  }

  /** Rejects with {@link DiscoveryFailed}. */
  discover(_provider: ConfiguredProvider): Promise<readonly DiscoveredTool[]> {
    return Promise.reject(new DiscoveryFailed('provider_unavailable', 'not built yet'));
  }

  /**
   * Connects ahead of a call, without calling anything, so that a slow start does not outlive the permit. Worth doing
   * while the hooks run. Never rejects.
   */
  prepare(_provider: ConfiguredProvider): Promise<void> {
    return Promise.resolve();
  }

  /** Ends every connection and every child process. Calls under way end as lost; later ones are not sent. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
