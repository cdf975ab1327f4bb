import { createHash } from 'node:crypto';
import type { McpConnection, Scope } from '@agentstration/contracts';
import type { ConfiguredProvider } from '@agentstration/governance';
import type { AddressPolicy } from '../address/address-policy.ts';
import { createAgent } from '../address/create-agent.ts';
import type { ConnectionTarget } from '../connection/connection-pool.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { HttpTransport } from '../http/http-transport.ts';
import type { Settings } from '../options.ts';
import { StdioTransport } from '../stdio/stdio-transport.ts';
import { isListed } from './is-listed.ts';
import { readSecretHeaders } from './read-secret-headers.ts';

/** What is needed to tell where a provider is. */
export interface TargetContext {
  readonly settings: Settings;
  readonly policy: AddressPolicy;
}

/** An endpoint that a provider, or an extension on behalf of one, names. */
export interface HttpEndpoint {
  readonly endpoint: string;
  readonly headerReferences?: Readonly<Record<string, string>> | undefined;
  /** The operator's configuration names this very origin. */
  readonly trusted?: boolean;
}

/**
 * Turns an MCP provider into something to connect to, after everything that can be refused has been.
 *
 * @throws ProviderFailure
 */
export function resolveTarget(context: TargetContext, provider: ConfiguredProvider, mcp: McpConnection): Promise<ConnectionTarget> {
  return mcp.transport === 'stdio' ? stdioTarget(context, provider, mcp.profile) : httpTarget(context, provider, mcp);
}

function stdioTarget({ settings }: TargetContext, provider: ConfiguredProvider, name: string): Promise<ConnectionTarget> {
  const profile = Object.hasOwn(settings.stdio, name) ? settings.stdio[name] : undefined;
  if (!profile || !isListed(profile.Workspaces, provider.scope))
    return Promise.reject(new ProviderFailure('profile_not_permitted', notOpen(name, openProfiles(settings.stdio, provider.scope))));
  return Promise.resolve({
    ...identity(provider, ['stdio', name]),
    kind: 'stdio',
    openTransport: () => new StdioTransport(profile, settings.maximumResultBytes),
  });
}

/** Those of other Workspaces are not told. */
const openProfiles = (stdio: Settings['stdio'], scope: Scope): string[] =>
  Object.entries(stdio).flatMap(([name, { Workspaces }]) => (isListed(Workspaces, scope) ? [name] : []));

const notOpen = (name: string, open: readonly string[]): string =>
  `No stdio profile "${name}" is open to the Workspace; ${open.length === 0 ? 'none is' : `these are: ${open.toSorted().join(', ')}`}.`;

/** @throws ProviderFailure when the endpoint or one of its secrets is refused */
export async function httpTarget(
  { settings, policy }: TargetContext,
  provider: ConfiguredProvider,
  { endpoint, headerReferences = {}, trusted = false }: HttpEndpoint,
): Promise<ConnectionTarget> {
  const inClearText = URL.parse(endpoint)?.protocol === 'http:';
  const rule = { publicToo: !inClearText || Object.keys(headerReferences).length === 0, trusted };
  const url = policy.readEndpoint(endpoint, rule);
  const headers = await readSecretHeaders(settings.secrets, { scope: provider.scope, url, headerReferences });
  return {
    ...identity(provider, ['http', url.href, String(rule.publicToo), fingerprint(headers)]),
    kind: 'streamableHttp',
    openTransport: () => {
      const agent = createAgent({ url, rule }, policy, settings.connectTimeoutMs);
      return new HttpTransport({ url, headers, agent }, settings.maximumResultBytes);
    },
  };
}

const workspaceOf = ({ tenantId, workspaceId }: Scope): string => `${tenantId}/${workspaceId}`;

function identity(provider: ConfiguredProvider, address: readonly string[]): Pick<ConnectionTarget, 'key' | 'workspace'> {
  const workspace = workspaceOf(provider.scope);
  return { key: JSON.stringify([workspace, provider.providerId, provider.generation, ...address]), workspace };
}

/** Tells credentials apart without keeping them. */
const fingerprint = (headers: Readonly<Record<string, string>>): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(headers).sort()))
    .digest('base64');
