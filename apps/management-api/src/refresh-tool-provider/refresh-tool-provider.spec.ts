import type { DiscoverReply } from '@agentstration/contracts';
import type { StoredResource } from '@agentstration/store';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { type RefreshPorts, refreshToolProvider } from './refresh-tool-provider.ts';

const key = { tenantId: 'acme', workspaceId: 'demo', kind: 'ToolProvider', namespace: 'team', name: 'crm' } as const;
const provider: StoredResource = {
  ...key,
  ...{ uid: 'u1', generation: 4, revision: 9, labels: {}, annotations: {}, createdAt: '', updatedAt: '' },
  status: {},
  definition: { displayName: 'CRM', enabled: true, providerType: 'mcp', mcp: { transport: 'stdio', profile: 'crm' } },
};
const summary = { new: 1, changed: 0, unchanged: 2, unavailable: 0, refused: [] };

/** Ports that remember what they were told. */
function rig(reply: DiscoverReply, reads: (StoredResource | undefined)[] = [provider, provider]) {
  const told: unknown[] = [];
  const left = [...reads];
  const ports: RefreshPorts = {
    now: () => new Date(0),
    store: {
      get: () => Promise.resolve(left.length > 1 ? left.shift() : left[0]),
      setStatus: (of, status, uid) => (told.push({ status, uid }), Promise.resolve({ kind: 'updated', resource: of as StoredResource })),
    },
    discovery: { discover: (scope, request) => (told.push({ scope, request }), Promise.resolve(reply)) },
    applyDiscovery: (discovery) => (told.push({ discovery }), Promise.resolve({ kind: 'applied', summary })),
  };
  return { ports, told };
}

describe('refresh a tool provider', () => {
  it(verifies(['DISC-001', 'DISC-002'], 'asks the executor, applies what it says, and reports health'), async () => {
    const { ports, told } = rig({ tools: [{ externalName: 'lookup' }] });

    expect(await refreshToolProvider(ports, key, 'ada')).toEqual(summary);
    expect(told).toEqual([
      {
        scope: { tenantId: 'acme', workspaceId: 'demo' },
        request: { providerId: 'team/crm', generation: 4, definition: provider.definition },
      },
      {
        discovery: {
          scope: { tenantId: 'acme', workspaceId: 'demo' },
          provider: { namespace: 'team', name: 'crm', uid: 'u1' },
          tools: [{ externalName: 'lookup' }],
          by: 'ada',
        },
      },
      { status: expect.objectContaining({ lastErrorCode: null, conditions: [expect.objectContaining({ status: 'True' })] }), uid: 'u1' },
    ]);
  });

  it(verifies('DISC-002', 'a provider that fails is 502, and its status keeps the code'), async () => {
    const { ports, told } = rig({ error: { code: 'provider_unreachable', message: 'The provider cannot be reached' } });

    await expect(refreshToolProvider(ports, key, 'ada')).rejects.toMatchObject({
      code: 'provider_failed',
      detail: expect.stringMatching(/^provider_unreachable: /),
      extras: { reason: 'provider_unreachable' },
    });
    expect(told.at(-1)).toMatchObject({
      status: { lastErrorCode: 'provider_unreachable', conditions: [{ type: 'Ready', status: 'False' }] },
    });
    expect(told.some((entry) => Object.hasOwn(entry as object, 'discovery'))).toBe(false);
  });

  it(verifies('DISC-004', 'a disabled provider is not asked'), async () => {
    const { ports, told } = rig({ tools: [] }, [{ ...provider, definition: { ...provider.definition, enabled: false } }]);
    await expect(refreshToolProvider(ports, key, 'ada')).rejects.toMatchObject({ code: 'conflict' });
    expect(told).toEqual([]);
  });

  it.each<[string, StoredResource | undefined, string]>([
    ['changed', { ...provider, generation: 5 }, 'conflict'],
    ['made anew', { ...provider, uid: 'u2' }, 'resource_not_found'],
    ['deleted', undefined, 'resource_not_found'],
  ])(verifies('DISC-004', 'one that was %s meanwhile gets no stale tools'), async (_what, now, code) => {
    const { ports, told } = rig({ tools: [] }, [provider, now]);
    await expect(refreshToolProvider(ports, key, 'ada')).rejects.toMatchObject({ code });
    expect(told).toHaveLength(1);
  });

  it(verifies('DISC-002', 'the time of a transition is that of the change'), async () => {
    const before = { type: 'Ready', status: 'True', reason: '', message: '', lastTransitionTime: 'long ago' };
    const { ports, told } = rig({ tools: [] }, [{ ...provider, status: { conditions: [before] } }]);
    await refreshToolProvider(ports, key, 'ada');
    expect(told.at(-1)).toMatchObject({ status: { conditions: [{ lastTransitionTime: 'long ago' }] } });
  });
});
