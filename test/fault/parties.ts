import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Scope, ToolDefinition } from '@agentstration/contracts';
import { applyDiscovery } from '@agentstration/store';
import { testMcpServerPath } from '../support/mcp/test-server.ts';
import type { GovernanceSystem } from '../support/system/governance-system.ts';
import type { Requester } from '../support/system/requester.ts';
import { credentialOf, entryOf, nameOf, scopes } from './scopes.ts';

/** A Workspace of the rig: it has providers, credentials and a requester of its own. */
export interface Party {
  readonly scope: Scope;
  readonly requester: Requester;
}

/** Tools of the test server that the load and the faults ask for, from each of the two providers of a Workspace. */
const offered: Readonly<Record<'local' | 'remote', readonly string[]>> = {
  local: ['ok', 'slow', 'denied', 'once', 'die-after-execute', 'big', 'mutate-tools'],
  remote: [
    'ok',
    'denied',
    'once',
    'die-after-execute',
    'big',
    'mutate-tools',
    'sse-eof',
    'sse-cut',
    'session-gone',
    'session-gone-once',
    'redirect',
  ],
};

/** Calls of this one are stopped by a hook that throws; calls of `local.denied` by a hook resource. */
export const brokenHookModule = join(import.meta.dirname, 'broken-hook.mjs');

/** The host's side of the providers: a stdio profile and a secret for each Workspace, open to it alone. */
export async function providerSettings(directory: string): Promise<NodeJS.ProcessEnv> {
  const oracle = join(directory, 'oracle');
  const profiles = scopes.map((scope) => ({
    [entryOf(scope)]: {
      Command: process.execPath,
      Arguments: [testMcpServerPath, '--oracle', oracle],
      Environment: { MCP_CREDENTIAL: credentialOf(scope) },
      Workspaces: [nameOf(scope)],
    },
  }));
  const secrets = scopes.map(async (scope) => {
    const ValueFile = join(directory, `${entryOf(scope)}.secret`);
    await writeFile(ValueFile, credentialOf(scope), { mode: 0o600 });
    return { [entryOf(scope)]: { ValueFile, Workspaces: [nameOf(scope)], Hosts: ['127.0.0.1'] } };
  });
  return {
    Agentstration__ToolProviders__Stdio: JSON.stringify(Object.assign({}, ...profiles)),
    Agentstration__ToolProviders__Secrets: JSON.stringify(Object.assign({}, ...(await Promise.all(secrets)))),
    Agentstration__ToolProviders__AllowedPrivateHosts: '["127.0.0.0/8"]',
    Agentstration__ToolExecution__LocalHookModules: JSON.stringify([brokenHookModule]),
  };
}

/** The Workspace's side: providers, tools and hooks, under the same names in every Workspace. */
export async function furnish(system: GovernanceSystem, scope: Scope, endpoint: string): Promise<void> {
  await offer(system, { scope, name: 'local', mcp: { transport: 'stdio', profile: entryOf(scope) } });
  const headerReferences = { Authorization: entryOf(scope) };
  await offer(system, { scope, name: 'remote', mcp: { transport: 'streamableHttp', endpoint, headerReferences } });
  const selector = { tools: ['local.denied'], providers: [], agents: [] };
  const configuration = { code: 'denied_here', message: 'Not here.' };
  const definition = { displayName: 'Deny', enabled: true, order: 0, handler: 'deny', selector, configuration };
  const key = { ...scope, kind: 'ToolExecutionHook', namespace: 'default', name: 'deny' } as const;
  await system.resources.create(key, { labels: {}, annotations: {}, definition }, 'rig');
}

interface Provider {
  readonly scope: Scope;
  readonly name: 'local' | 'remote';
  readonly mcp: Readonly<Record<string, unknown>>;
}

async function offer({ resources, dataSource }: GovernanceSystem, { scope, name, mcp }: Provider): Promise<void> {
  const definition = { displayName: name, enabled: true, providerType: 'mcp', mcp };
  const key = { ...scope, kind: 'ToolProvider', namespace: 'default', name } as const;
  const { resource } = await resources.create(key, { labels: {}, annotations: {}, definition }, 'rig');
  const tools = offered[name].map((externalName) => ({ externalName }));
  await applyDiscovery(dataSource, { scope, provider: resource, tools, by: 'rig' });
  for (const tool of offered[name]) {
    const own: Partial<ToolDefinition> = tool === 'once' ? { enabled: true, delivery: 'AtMostOnce' } : { enabled: true };
    const toolKey = { ...scope, kind: 'Tool', namespace: 'default', name: `${name}.${tool}` } as const;
    const expected = await resources.get(toolKey);
    if (!expected) throw new Error(`There is no tool ${toolKey.name}.`);
    await resources.replace(
      toolKey,
      { expected, content: { labels: {}, annotations: {}, definition: { ...expected.definition, ...own } } },
      'rig',
    );
  }
}
