import type { DiscoveredTool } from '@agentstration/contracts';
import type { ConfiguredProvider } from '@agentstration/governance';
import type { ExtensionDirectory, ResolvedContribution } from '../aep/extension-directory.ts';
import type { ConnectionPool, ConnectionTarget } from '../connection/connection-pool.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { type TargetContext, resolveTarget } from '../target/resolve-target.ts';
import { listTools } from './list-tools.ts';

export interface DiscoveryContext extends TargetContext {
  readonly pool: ConnectionPool;
  readonly extensions: ExtensionDirectory;
}

/**
 * What a provider offers: the tool list of an MCP server, or the contributions of an extension with the schemas of the
 * MCP tools behind them.
 *
 * @throws ProviderFailure
 */
export async function discoverTools(
  context: DiscoveryContext,
  provider: ConfiguredProvider,
  signal: AbortSignal,
): Promise<readonly DiscoveredTool[]> {
  const { definition } = provider;
  const limits = { maximumBytes: context.settings.maximumDiscoveryBytes, signal };
  const listOnce = async (target: ConnectionTarget) => listTools(await context.pool.acquire(target), limits);
  // Listing changes nothing: a session that the server forgot is simply opened again.
  const list = (target: ConnectionTarget) =>
    listOnce(target).catch((error: unknown) => (isSessionGone(error) ? listOnce(target) : Promise.reject(error as Error)));
  if (definition.providerType === 'mcp') return list(await resolveTarget(context, provider, definition.mcp));
  const tools = await describeContributions(await context.extensions.resolveAll(provider, definition.aep.extensionId), list);
  // Contributions may share a tool and so repeat its schemas.
  if (Buffer.byteLength(JSON.stringify(tools)) > context.settings.maximumDiscoveryBytes)
    throw new ProviderFailure('tool_list_too_large', `The tools have more than ${context.settings.maximumDiscoveryBytes} bytes.`);
  return tools;
}

const isSessionGone = (error: unknown): boolean => error instanceof ProviderFailure && error.code === 'provider_session_gone';

async function describeContributions(
  contributions: readonly ResolvedContribution[],
  list: (target: ConnectionTarget) => Promise<readonly DiscoveredTool[]>,
): Promise<readonly DiscoveredTool[]> {
  const targets = new Map(contributions.map(({ target }) => [target.key, target]));
  const lists = new Map(
    await Promise.all(
      [...targets].map(async ([key, target]) => [key, new Map((await list(target)).map((tool) => [tool.externalName, tool]))] as const),
    ),
  );
  return contributions.map(({ contribution, target }) => {
    const tool = lists.get(target.key)?.get(contribution.mcp.tool);
    if (!tool)
      throw new ProviderFailure(
        'extension_tool_missing',
        `The contribution "${contribution.id}" names a tool that its server does not offer.`,
      );
    const description = contribution.description ?? tool.description;
    return {
      ...tool,
      externalName: contribution.id,
      title: contribution.displayName,
      ...(description === undefined ? {} : { description }),
    };
  });
}
