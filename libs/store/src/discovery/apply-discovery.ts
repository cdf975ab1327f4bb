import type { DiscoveredTool, Scope } from '@agentstration/contracts';
import type { DataSource } from 'typeorm';

export interface Discovery {
  readonly scope: Scope;
  readonly provider: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly tools: readonly DiscoveredTool[];
  /** The principal that asked. */
  readonly by: string;
}

/** Counts over the provider's Tools. `refused`: external names that no legal resource name is left for. */
export interface DiscoverySummary {
  readonly new: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly unavailable: number;
  readonly refused: readonly string[];
}

export type DiscoveryOutcome = { readonly kind: 'applied'; readonly summary: DiscoverySummary } | { readonly kind: 'provider_not_found' };

/**
 * Brings a provider's Tools in line with what it offers, in one transaction. New ones start disabled; the
 * administrator's settings stay; what vanished becomes unavailable and is never deleted.
 */
export function applyDiscovery(_dataSource: DataSource, _discovery: Discovery): Promise<DiscoveryOutcome> {
  return Promise.reject(new Error('not built yet'));
}
