import { isDeepStrictEqual } from 'node:util';
import type { DiscoveredTool, Scope } from '@agentstration/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { inScope } from '../connection/in-scope.ts';
import { decodeText } from '../read-model/tables/text-codec.ts';
import { nameDiscoveredTools } from './name-discovered-tools.ts';
import { type CatalogueTool, addTools, changeTools, lockProvider, readTools, withdrawTools } from './tool-rows.ts';

export interface Discovery {
  readonly scope: Scope;
  /** The ToolProvider that was asked, by its uid: an answer for one that was deleted meanwhile changes nothing. */
  readonly provider: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly tools: readonly DiscoveredTool[];
  /** The principal that asked. */
  readonly by: string;
}

/**
 * Counts over all Tools of the provider; each is counted once, a returned one as changed. `refused`: external names that
 * no resource name is left for.
 */
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
 *
 * @throws StoreUnavailable
 */
export function applyDiscovery(dataSource: DataSource, discovery: Discovery): Promise<DiscoveryOutcome> {
  return inScope(dataSource, discovery.scope, async (manager) => {
    if (!(await lockProvider(manager, discovery))) return { kind: 'provider_not_found' };
    return { kind: 'applied', summary: await apply(manager, discovery) };
  });
}

async function apply(manager: EntityManager, discovery: Discovery): Promise<DiscoverySummary> {
  const catalogue = new Map((await readTools(manager, discovery)).map((tool) => [decodeText(tool.external_name), tool]));
  // A provider that lists a name twice means its first entry.
  const offered = new Map([...discovery.tools].reverse().map((tool) => [tool.externalName, tool]));
  const { names, refused } = nameDiscoveredTools({
    providerName: discovery.provider.name,
    externalNames: offered.keys(),
    existing: new Map([...catalogue].map(([externalName, tool]) => [externalName, tool.name])),
  });
  const found = [...names].map(([externalName, name]) => ({ name, known: catalogue.get(externalName), tool: offered.get(externalName)! }));
  const fresh = found.filter(({ known }) => !known);
  const changed = found.filter(({ known, tool }) => known && differs(known, tool));
  const vanished = [...catalogue].filter(([externalName]) => !offered.has(externalName)).map(([, tool]) => tool);
  await addTools(manager, discovery, fresh);
  await changeTools(
    manager,
    discovery,
    changed.map(({ name, known, tool }) => ({ name, tool, status: known!.status })),
  );
  await withdrawTools(
    manager,
    discovery,
    vanished.filter(({ available }) => available).map(({ name }) => name),
  );
  return {
    new: fresh.length,
    changed: changed.length,
    unchanged: found.length - fresh.length - changed.length,
    unavailable: vanished.length,
    refused,
  };
}

const differs = (known: CatalogueTool, tool: DiscoveredTool): boolean =>
  !known.available || !isDeepStrictEqual(describe(known.status), describe(JSON.parse(JSON.stringify(tool)) as DiscoveredTool));

const describe = ({ title, description, inputSchema, outputSchema }: Partial<DiscoveredTool>): unknown => [
  title,
  description,
  inputSchema,
  outputSchema,
];
