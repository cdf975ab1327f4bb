import { describe, expect, it } from '@jest/globals';
import { type ToolProviderDefinition, toCanonicalId } from '@agentstration/contracts';
import { defaultToolDefinition } from '@agentstration/governance';
import { type AttemptStoreHarness, describeAttemptStore } from '../contract-suite/attempt-store-suite.ts';
import { newScope, providerDefinition } from '../contract-suite/samples.ts';
import { InMemoryAttemptStore } from './in-memory-attempt-store.ts';

const store = new InMemoryAttemptStore();

const harness: AttemptStoreHarness = {
  store,
  putTool: (scope, { namespace = 'default', provider, externalName, enabled = false }) => {
    store.putTool({
      toolId: toCanonicalId(namespace, `${provider}.${externalName}`),
      toolName: externalName,
      externalToolId: externalName,
      available: true,
      definition: { ...defaultToolDefinition, enabled },
      provider: {
        scope,
        providerId: toCanonicalId(namespace, provider),
        generation: 1,
        definition: providerDefinition as ToolProviderDefinition,
      },
    });
    return Promise.resolve();
  },
  putHook: (scope, { namespace = 'default', name, definition }) => {
    store.putHook({ ...scope, namespace, name, generation: 1, definition });
    return Promise.resolve();
  },
  putRun: (run, state) => {
    store.putRun(run, state);
    return Promise.resolve();
  },
};

describeAttemptStore(() => harness);

describe('the twin', () => {
  it('can be a store that cannot be read, or one that hands out a foreign row', async () => {
    const scope = newScope();
    const query = { ...scope, ownerKind: 'RuntimeRun', runId: 'r', toolId: 't', agentId: 'a' } as const;
    const twin = new InMemoryAttemptStore().putHook(
      { ...newScope(), namespace: 'default', name: 'x', generation: 1, definition: {} },
      scope,
    );
    expect((await twin.resolve(query)).hooks).toHaveLength(1);
    twin.failure = new Error('down');
    await expect(twin.resolve(query)).rejects.toThrow('down');
  });
});
