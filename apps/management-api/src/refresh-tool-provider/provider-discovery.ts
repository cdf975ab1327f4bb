import type { DiscoverReply, DiscoverRequest, Scope } from '@agentstration/contracts';

/** Asks the executor, which alone reaches providers, what a provider offers. Rejects with `ProblemError` when none answers. */
export interface ProviderDiscovery {
  discover(scope: Scope, request: DiscoverRequest): Promise<DiscoverReply>;
}
