import type { ConfiguredProvider } from '@agentstration/governance';
import type { ConnectionTarget } from '../connection/connection-pool.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { isListed } from '../target/is-listed.ts';
import { type HttpEndpoint, type TargetContext, httpTarget } from '../target/resolve-target.ts';
import { type ConfiguredExtension, extensionBase, fetchDescriptor } from './fetch-descriptor.ts';
import type { ExtensionDescriptor, ToolContribution } from './parse-descriptor.ts';

/** A contribution with the MCP server behind it. */
export interface ResolvedContribution {
  readonly contribution: ToolContribution;
  readonly target: ConnectionTarget;
}

interface Known {
  readonly descriptor: Promise<ExtensionDescriptor>;
  readonly fetchedAt: number;
}

/** Calls use what an extension said up to this long ago; discovery asks anew. */
export const freshMs = 30_000;

/** Finds the MCP servers and tools behind AEP extensions. */
export class ExtensionDirectory {
  readonly #known = new Map<string, Known>();

  constructor(private readonly context: TargetContext) {}

  /** @throws ProviderFailure when the extension, or the contribution, is not there for the Workspace */
  async resolve(provider: ConfiguredProvider, extensionId: string, contributionId: string): Promise<ResolvedContribution> {
    const extension = this.#permitted(provider, extensionId);
    const descriptor = await this.#describe(extension, freshMs);
    const contribution = descriptor.contributions.tools.find(({ id }) => id === contributionId);
    if (!contribution) throw new ProviderFailure('extension_tool_missing', 'The extension contributes no such tool any more.');
    return { contribution, target: await this.#target(provider, extension, { descriptor, contribution }) };
  }

  /** Every contribution, by a descriptor that is no older than that. */
  async resolveAll(provider: ConfiguredProvider, extensionId: string, maximumAgeMs = 0): Promise<readonly ResolvedContribution[]> {
    const extension = this.#permitted(provider, extensionId);
    const descriptor = await this.#describe(extension, maximumAgeMs);
    return Promise.all(
      descriptor.contributions.tools.map(async (contribution) => ({
        contribution,
        target: await this.#target(provider, extension, { descriptor, contribution }),
      })),
    );
  }

  #permitted(provider: ConfiguredProvider, id: string): ConfiguredExtension {
    const { extensions } = this.context.settings;
    const settings = Object.hasOwn(extensions, id) ? extensions[id] : undefined;
    if (!settings || !isListed(settings.Workspaces, provider.scope))
      throw new ProviderFailure('extension_not_permitted', `No extension "${id}" is open to the Workspace.`);
    return { id, settings };
  }

  #describe(extension: ConfiguredExtension, maximumAgeMs: number): Promise<ExtensionDescriptor> {
    const now = this.context.settings.now();
    const known = this.#known.get(extension.id);
    if (known && now - known.fetchedAt < maximumAgeMs) return known.descriptor;
    const descriptor = fetchDescriptor(this.context.policy, extension);
    this.#known.set(extension.id, { descriptor, fetchedAt: now });
    descriptor.catch(() => this.#forget(extension.id, descriptor));
    return descriptor;
  }

  /** What failed is asked for again by the next. */
  #forget(id: string, descriptor: Promise<ExtensionDescriptor>): void {
    if (this.#known.get(id)?.descriptor === descriptor) this.#known.delete(id);
  }

  #target(provider: ConfiguredProvider, extension: ConfiguredExtension, found: Found): Promise<ConnectionTarget> {
    const server = found.descriptor.mcp.servers.find(({ id }) => id === found.contribution.mcp.server);
    if (!server) throw new ProviderFailure('extension_descriptor_invalid', 'A contribution names no server of the descriptor.');
    return httpTarget(this.context, provider, locate(extensionBase(this.context.policy, extension), server.endpoint));
  }
}

interface Found {
  readonly descriptor: ExtensionDescriptor;
  readonly contribution: ToolContribution;
}

/**
 * A relative endpoint resolves below the extension's own, and shares the trust in its origin. An absolute one, whatever
 * it is made to look like, is judged like any other endpoint.
 */
function locate(base: URL, endpoint: string): HttpEndpoint {
  if (URL.canParse(endpoint)) return { endpoint };
  const url = URL.parse(endpoint, base.href);
  return url ? { endpoint: url.href, trusted: url.origin === base.origin } : { endpoint };
}
