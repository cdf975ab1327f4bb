import { describe, expect, it } from '@jest/globals';
import type { Scope } from '@agentstration/contracts';
import { type AttemptQuery, resolveManagedHooks } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { type AttemptStoreHarness, describeAttemptStore } from '../contract-suite/attempt-store-suite.ts';
import { content, hookDefinition, newScope, providerDefinition, resourceKey } from '../contract-suite/samples.ts';
import { useDatabase } from '../contract-suite/use-database.ts';
import { StoreUnavailable } from '../connection/store-unavailable.ts';
import { applyDiscovery } from '../discovery/apply-discovery.ts';
import { PostgresResourceStore } from '../resources/postgres-resource-store.ts';
import { PostgresRunStore } from '../runs/postgres-run-store.ts';
import { InvalidRow } from './invalid-row.ts';
import { PostgresAttemptStore } from './postgres-attempt-store.ts';

const database = useDatabase();

let parts: { api: ReturnType<typeof database.connect>; resources: PostgresResourceStore; attempts: PostgresAttemptStore } | undefined;
function use() {
  const api = parts?.api ?? database.connect('api');
  return (parts ??= { api, resources: new PostgresResourceStore(api), attempts: new PostgresAttemptStore(database.connect('executor')) });
}

/** By hand: neither the API nor its validation sees it. */
const putHook: AttemptStoreHarness['putHook'] = async (scope, { namespace = 'default', name, definition }) => {
  await database.asSuperuser(
    `INSERT INTO agentstration.resources (tenant_id, workspace_id, kind, namespace, name, labels, annotations, definition, status, changed_by)
     VALUES ($1, $2, 'ToolExecutionHook', $3, $4, '{}', '{}', $5, '{}', 'psql')`,
    [scope.tenantId, scope.workspaceId, namespace, name, JSON.stringify(definition)],
  );
};

const offered = new Map<string, { externalName: string }[]>();
const putTool: AttemptStoreHarness['putTool'] = async (scope, { namespace = 'default', provider, externalName, enabled }) => {
  const key = resourceKey(scope, 'ToolProvider', provider, namespace);
  const { resource } = await use().resources.create(key, content(providerDefinition), 'me');
  const tools = [...(offered.get(resource.uid) ?? []), { externalName }];
  offered.set(resource.uid, tools);
  await applyDiscovery(use().api, { scope, provider: { namespace, name: provider, uid: resource.uid }, tools, by: 'me' });
  if (!enabled) return;
  const toolKey = resourceKey(scope, 'Tool', `${provider}.${externalName}`, namespace);
  const expected = (await use().resources.get(toolKey))!;
  await use().resources.replace(toolKey, { expected, content: content({ ...expected.definition, enabled }) }, 'me');
};

describeAttemptStore(() => ({
  store: use().attempts,
  putTool,
  putHook,
  putRun: async (run, { cancelled, persistToolArguments }) => {
    const runs = new PostgresRunStore(use().api);
    await runs.create({ ...run, agentId: null, principalId: 'me', persistToolArguments, retryOf: null, toolCalls: [] }, []);
    if (cancelled) await runs.cancel(run, 'me', []);
  },
}));

const attempt = (scope: Scope, toolId = 'p.echo', agentId = 'agent'): AttemptQuery => ({
  ...scope,
  ownerKind: 'RuntimeRun',
  runId: 'run',
  toolId,
  agentId,
});

describe('a resolution', () => {
  it(verifies('STORE-032', 'fails closed when a place names a hook that is not there'), async () => {
    const scope = newScope();
    await putHook(scope, { name: 'guard', definition: hookDefinition() });
    const place = `INSERT INTO agentstration.hook_anchors (tenant_id, workspace_id, tool_id, provider_id, agent_id, namespace, name)
      VALUES ($1, $2, '', '', '', 'default', 'ghost')`;
    await database.asSuperuser(place, Object.values(scope));
    const { hooks } = await use().attempts.resolve(attempt(scope));
    expect(resolveManagedHooks(hooks, scope, { toolId: 'x', providerId: 'x', agentId: 'x' })).toMatchObject({ ok: false });
  });

  it(verifies('STORE-032', 'follows a hook that is changed, deleted and revived by hand'), async () => {
    const scope = newScope();
    const names = async (agentId: string): Promise<number> => (await use().attempts.resolve(attempt(scope, 'x', agentId))).hooks.length;
    await putHook(scope, { name: 'guard', definition: hookDefinition({ selector: { agents: ['a', 'b'] } }) });
    const set = (change: string) =>
      database.asSuperuser(`UPDATE agentstration.resources SET ${change} WHERE workspace_id = $1`, [scope.workspaceId]);
    expect([await names('a'), await names('b'), await names('c')]).toEqual([1, 1, 0]);
    await set(`definition = '${JSON.stringify(hookDefinition({ selector: { agents: ['c'] } }))}'`);
    expect([await names('a'), await names('b'), await names('c')]).toEqual([0, 0, 1]);
    await set('deleted_at = now()');
    expect(await names('c')).toBe(0);
    await set('deleted_at = NULL');
    expect(await names('c')).toBe(1);
    await database.asSuperuser('SET session_replication_role = replica');
    await set(`definition = '{"broken": true}'`);
    await database.asSuperuser('RESET session_replication_role');
    expect([await names('a'), await names('zzz')]).toEqual([1, 1]);
  });

  it(verifies('STORE-030', 'sees Tool, provider and hooks of one moment'), async () => {
    const scope = newScope();
    await putTool(scope, { provider: 'p', externalName: 'echo' });
    await putHook(scope, { name: 'guard', definition: hookDefinition({ selector: { tools: ['p.echo'] } }) });
    const write = async (number: number): Promise<void> => {
      const definitions = {
        Tool: { enabled: true, timeoutMs: 1000 + number },
        ToolProvider: { ...providerDefinition, displayName: `p${1000 + number}` },
        ToolExecutionHook: hookDefinition({ order: 1000 + number, selector: { tools: ['p.echo'] } }),
      };
      const cases = Object.entries(definitions).map(([kind, definition]) => `WHEN '${kind}' THEN '${JSON.stringify(definition)}'::json`);
      await database.asSuperuser(
        `DO $$ BEGIN UPDATE agentstration.resources SET definition = CASE kind ${cases.join(' ')} END
          WHERE workspace_id = '${scope.workspaceId}' AND kind <> 'Tool';
         UPDATE agentstration.resources SET definition = CASE kind ${cases.join(' ')} END
          WHERE workspace_id = '${scope.workspaceId}' AND kind = 'Tool'; END $$`,
      );
    };
    await write(0);
    let writing = true;
    const writer = (async () => {
      for (let number = 1; number <= 100; number += 1) await write(number);
      writing = false;
    })();
    const seen = new Set<number>();
    while (writing) {
      const contexts = await Promise.all(Array.from({ length: 12 }, () => use().attempts.resolve(attempt(scope))));
      for (const { entry, hooks } of contexts) {
        const provider = entry!.provider.definition.displayName;
        const { order } = hooks[0]!.definition as { order: number };
        expect([entry!.definition.timeoutMs, provider, hooks.length]).toEqual([order, `p${order}`, 1]);
        seen.add(order);
      }
    }
    await writer;
    expect(seen.size).toBeGreaterThan(3);
  });

  it(verifies('STORE-035', 'that starts after a write has answered sees it, on any executor'), async () => {
    const scope = newScope();
    const key = resourceKey(scope, 'ToolExecutionHook', 'guard');
    let { resource } = await use().resources.create(key, content(hookDefinition()), 'me');
    const executors = [use().attempts, new PostgresAttemptStore(database.connect('executor'))];
    let attempts = 0;
    let writing = true;
    const running = Array.from({ length: 20 }, async (_, index) => {
      while (writing || attempts < 1000) {
        const answered = resource.generation;
        const { hooks } = await executors[index % 2]!.resolve(attempt(scope));
        expect(hooks[0]!.generation).toBeGreaterThanOrEqual(answered);
        attempts += 1;
      }
    });
    for (let order = 1; order <= 50; order += 1) {
      const outcome = await use().resources.replace(key, { expected: resource, content: content(hookDefinition({ order })) }, 'me');
      if (outcome.kind === 'replaced') resource = outcome.resource;
    }
    writing = false;
    await Promise.all(running);
    expect(resource.generation).toBe(51);
  });

  it(verifies('STORE-037', 'finds a Tool unavailable once its provider is deleted, and again when it is back'), async () => {
    const scope = newScope();
    await putTool(scope, { provider: 'p', externalName: 'echo' });
    const key = resourceKey(scope, 'ToolProvider', 'p');
    const toolKey = resourceKey(scope, 'Tool', 'p.echo');
    const available = async (): Promise<unknown[]> => [
      (await use().attempts.resolve(attempt(scope))).entry?.available,
      (await use().resources.get(toolKey))?.status.available,
    ];
    expect(await available()).toEqual([true, true]);
    await use().resources.delete(key, (await use().resources.get(key))!, 'me');
    expect(await available()).toEqual([false, false]);
    await putTool(scope, { provider: 'p', externalName: 'echo' });
    expect(await available()).toEqual([true, true]);
  });

  it('rejects where a Tool or provider was written by hand and means nothing', async () => {
    const scope = newScope();
    await putTool(scope, { provider: 'p', externalName: 'echo' });
    const set = (kind: string, definition: string) =>
      database.asSuperuser(`UPDATE agentstration.resources SET definition = $1 WHERE workspace_id = $2 AND kind = $3`, [
        ...[definition, scope.workspaceId, kind],
      ]);
    await set('ToolProvider', '{"enabled":"yes"}');
    await expect(use().attempts.resolve(attempt(scope))).rejects.toThrow(new InvalidRow('the ToolProvider p'));
    await set('Tool', '{"enabled":"yes"}');
    await expect(use().attempts.resolve(attempt(scope))).rejects.toThrow(new InvalidRow('the Tool p.echo'));
  });

  it(verifies('STORE-050', 'rejects as unavailable while the database is away, and works again afterwards'), async () => {
    const scope = newScope();
    await database.server.kill();
    await expect(use().attempts.resolve(attempt(scope))).rejects.toBeInstanceOf(StoreUnavailable);
    await database.server.restart();
    expect((await use().attempts.resolve(attempt(scope))).entry).toBeUndefined();
  });
});
