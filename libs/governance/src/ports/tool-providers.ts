import type { DiscoveredTool, Scope, ToolProviderDefinition } from '@agentstration/contracts';
import type { Permit } from '../gate/permit.ts';

/** A configured source of Tools, as read from its resource. */
export interface ConfiguredProvider {
  readonly scope: Scope;
  readonly providerId: string;
  readonly generation: number;
  readonly definition: ToolProviderDefinition;
}

export interface ProviderCall {
  readonly provider: ConfiguredProvider;
  readonly externalToolId: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Bounds the whole call, in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * What became of one call.
 * - `answered`: the provider's `CallToolResult`; `isError` is the tool's own report.
 * - `refused`: the provider answered with a protocol error, or its answer cannot be used.
 * - `not_sent`: provably never executed.
 * - `unknown`: sent, and no answer came: the tool may have run.
 */
export type ProviderOutcome =
  | { readonly kind: 'answered'; readonly result: unknown; readonly isError: boolean }
  | { readonly kind: 'refused'; readonly code: 'provider_error' | 'provider_protocol_error' | 'provider_result_too_large' }
  | {
      readonly kind: 'not_sent';
      readonly code: 'provider_unreachable' | 'provider_unavailable' | 'provider_not_permitted' | 'permit_expired' | 'cancelled';
    }
  | { readonly kind: 'unknown'; readonly code: 'provider_timeout' | 'provider_connection_lost' | 'provider_session_lost' | 'cancelled' };

/**
 * The only way to a provider. It takes a {@link Permit}, which only the acknowledgement check can make, and spends it
 * right before the request leaves. Never rejects: every end of a call is an outcome.
 */
export interface ToolProviders {
  /**
   * Connects ahead of a call, so that a slow start does not outlive the permit. Calls nothing. Never rejects: what is
   * wrong shows in the call.
   */
  prepare(provider: ConfiguredProvider): Promise<void>;
  call(permit: Permit, call: ProviderCall): Promise<ProviderOutcome>;
}

/** Discovery failed. `message` is for the administrator and holds no text of the provider. */
export class DiscoveryFailed extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'DiscoveryFailed';
  }
}

/** Asks a provider which tools it offers. Rejects with {@link DiscoveryFailed}. */
export interface ToolDiscovery {
  discover(provider: ConfiguredProvider): Promise<readonly DiscoveredTool[]>;
}
