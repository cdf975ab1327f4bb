import { type Condition, type DiscoveredTool, type ToolProviderDefinition, toCanonicalId } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';
import type { Discovery, DiscoveryOutcome, DiscoverySummary, ResourceKey, ResourceStore, StoredResource } from '@agentstration/store';
import { resourceNotFound } from '../resources/resource-address.ts';
import type { ProviderDiscovery } from './provider-discovery.ts';

export interface RefreshPorts {
  readonly store: Pick<ResourceStore, 'get' | 'setStatus'>;
  readonly discovery: ProviderDiscovery;
  /** Brings the catalogue in line, in one transaction. */
  readonly applyDiscovery: (discovery: Discovery) => Promise<DiscoveryOutcome>;
  readonly now: () => Date;
}

/**
 * Discovery now: asks the provider which tools it offers and brings the catalogue in line. New Tools start disabled. The
 * provider's status says how it went.
 *
 * @throws ProblemError `provider_failed` when the provider did not answer as it must, `conflict` when it is disabled or
 * was changed meanwhile.
 */
export async function refreshToolProvider(ports: RefreshPorts, key: ResourceKey, by: string): Promise<DiscoverySummary> {
  const provider = await ports.store.get(key);
  if (!provider) throw resourceNotFound();
  const definition = provider.definition as ToolProviderDefinition;
  if (!definition.enabled) throw new ProblemError('conflict', 'The tool provider is disabled: enable it before a refresh');
  const providerId = toCanonicalId(key.namespace, key.name);
  const reply = await ports.discovery.discover(scopeOf(key), { providerId, generation: provider.generation, definition });
  if ('error' in reply) {
    await report(ports, provider, { code: reply.error.code, message: reply.error.message });
    throw new ProblemError('provider_failed', `${reply.error.code}: ${reply.error.message}`, { reason: reply.error.code });
  }
  const summary = await apply(ports, { provider, tools: reply.tools, by });
  await report(ports, provider, summary);
  return summary;
}

interface Answered {
  readonly provider: StoredResource;
  readonly tools: readonly DiscoveredTool[];
  readonly by: string;
}

async function apply(ports: RefreshPorts, { provider, tools, by }: Answered): Promise<DiscoverySummary> {
  const current = await ports.store.get(provider);
  if (current?.uid !== provider.uid) throw resourceNotFound();
  if (current.generation !== provider.generation) throw new ProblemError('conflict', 'The tool provider was changed during the refresh');
  const { namespace, name, uid } = provider;
  const outcome = await ports.applyDiscovery({ scope: scopeOf(provider), provider: { namespace, name, uid }, tools, by });
  if (outcome.kind === 'provider_not_found') throw resourceNotFound();
  return outcome.summary;
}

type Result = DiscoverySummary | { readonly code: string; readonly message: string };

async function report(ports: RefreshPorts, provider: StoredResource, result: Result): Promise<void> {
  const at = ports.now().toISOString();
  const failed = 'code' in result;
  const ready = readyCondition(provider, { at, ...(failed ? result : {}) });
  const status = failed ? { lastErrorCode: result.code } : { lastErrorCode: null, refusedNames: result.refused };
  await ports.store.setStatus(provider, { ...status, lastRefreshAt: at, conditions: [ready] }, provider.uid);
}

function readyCondition(provider: StoredResource, result: { at: string; code?: string; message?: string }): Condition {
  const status = result.code === undefined ? 'True' : 'False';
  const conditions = Array.isArray(provider.status.conditions) ? (provider.status.conditions as Condition[]) : [];
  const before = conditions.find(({ type }) => type === 'Ready');
  return {
    type: 'Ready',
    status,
    reason: result.code ?? 'Discovered',
    message: result.message ?? 'The provider answered the last discovery.',
    lastTransitionTime: before?.status === status ? before.lastTransitionTime : result.at,
  };
}

const scopeOf = ({ tenantId, workspaceId }: ResourceKey) => ({ tenantId, workspaceId });
