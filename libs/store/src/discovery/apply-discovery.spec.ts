import { describe, expect, it } from '@jest/globals';
import type { DiscoveredTool, Scope } from '@agentstration/contracts';
import { verifies } from '@agentstration/test/verifies';
import { content, newScope, providerDefinition, resourceKey } from '../contract-suite/samples.ts';
import { useDatabase } from '../contract-suite/use-database.ts';
import { PostgresResourceStore } from '../resources/postgres-resource-store.ts';
import type { StoredResource } from '../resources/resource-store.ts';
import { type DiscoveryOutcome, applyDiscovery } from './apply-discovery.ts';

const database = useDatabase();
let api: ReturnType<typeof database.connect> | undefined;
const dataSource = () => (api ??= database.connect('api'));
const store = () => new PostgresResourceStore(dataSource());

async function newProvider(scope: Scope, name = 'p', namespace = 'default') {
  const { resource } = await store().create(resourceKey(scope, 'ToolProvider', name, namespace), content(providerDefinition), 'me');
  const provider = { namespace, name, uid: resource.uid };
  const discover = (...tools: (string | DiscoveredTool)[]): Promise<DiscoveryOutcome> =>
    applyDiscovery(dataSource(), {
      scope,
      provider,
      tools: tools.map((tool) => (typeof tool === 'string' ? { externalName: tool } : tool)),
      by: 'refresher',
    });
  return { resource, provider, discover };
}

const toolsOf = async (scope: Scope): Promise<readonly StoredResource[]> =>
  (await store().list({ ...scope, kind: 'Tool', limit: 200 })).items;
const summary = (counts: object) => ({
  kind: 'applied',
  summary: { new: 0, changed: 0, unchanged: 0, unavailable: 0, refused: [], ...counts },
});

describe('a discovery', () => {
  it(verifies('STORE-020', 'makes new Tools disabled, with all that the provider says of them'), async () => {
    const scope = newScope();
    const { discover } = await newProvider(scope, 'p', 'team');
    const echo = { externalName: 'echo', title: 'Echo', description: 'a\u0000b', inputSchema: { type: 'object' }, outputSchema: true };
    expect(await discover(echo, 'a/b\u0000')).toEqual(summary({ new: 2 }));
    const [odd, tool] = await toolsOf(scope);
    expect(tool).toMatchObject({
      namespace: 'team',
      name: 'p.echo',
      generation: 1,
      definition: { enabled: false, delivery: 'AtLeastOnce', timeoutMs: 60_000, retry: { maxAttempts: 1, backoffMs: 1000 } },
      status: { ...echo, conditions: [], providerId: 'team/p', available: true },
    });
    expect(odd!.status.externalName).toBe('a/b\u0000');
    expect((await store().getGeneration(tool!, 1))?.changedBy).toBe('refresher');
  });

  it(verifies(['STORE-020', 'STORE-021'], 'counts, keeps the administrator’s settings, and deletes nothing'), async () => {
    const scope = newScope();
    const { discover } = await newProvider(scope);
    expect(await discover('a', 'b', 'c')).toEqual(summary({ new: 3 }));
    const key = resourceKey(scope, 'Tool', 'p.a');
    const expected = (await store().get(key))!;
    const settings = content({ ...expected.definition, enabled: true, timeoutMs: 5 }, { team: 'x' });
    await store().replace(key, { expected, content: settings }, 'admin');
    await store().setStatus(key, { conditions: [{ type: 'Reviewed' }] });

    expect(await discover({ externalName: 'a', description: 'new' }, 'b')).toEqual(summary({ changed: 1, unchanged: 1, unavailable: 1 }));
    expect(await store().get(key)).toMatchObject({
      generation: 2,
      labels: { team: 'x' },
      definition: { enabled: true, timeoutMs: 5 },
      status: { description: 'new', available: true, conditions: [{ type: 'Reviewed' }] },
    });
    expect(await discover('b')).toEqual(summary({ unchanged: 1, unavailable: 2 }));
    expect((await toolsOf(scope)).map(({ name, status }) => [name, status.available])).toEqual([
      ['p.a', false],
      ['p.b', true],
      ['p.c', false],
    ]);
    const before = await toolsOf(scope);
    expect(await discover('b')).toEqual(summary({ unchanged: 1, unavailable: 2 }));
    expect(await toolsOf(scope)).toEqual(before);
    expect(await discover('b', { externalName: 'a', description: 'new' })).toEqual(summary({ changed: 1, unchanged: 1, unavailable: 1 }));
    expect(await store().get(key)).toMatchObject({ generation: 2, definition: { enabled: true }, status: { available: true } });
    expect(await discover()).toEqual(summary({ unavailable: 3 }));
  });

  it(verifies('STORE-024', 'reports a refused name, and takes the first of two entries of one name'), async () => {
    const scope = newScope();
    const { discover } = await newProvider(scope);
    const marked = 'a-b-c14cddc0';
    expect(await discover('a/b', marked)).toEqual(summary({ new: 1, refused: ['a/b'] }));
    const twice = await discover(marked, { externalName: 'x', title: 'first' }, { externalName: 'x', title: 'second' });
    expect(twice).toEqual(summary({ new: 1, unchanged: 1 }));
    expect((await store().get(resourceKey(scope, 'Tool', 'p.x')))?.status.title).toBe('first');
  });

  it(verifies('STORE-022', 'of a provider that was deleted or made anew meanwhile changes nothing'), async () => {
    const scope = newScope();
    const { discover, resource } = await newProvider(scope);
    await discover('a');
    await store().delete(resource, resource, 'me');
    expect(await discover('b')).toEqual({ kind: 'provider_not_found' });
    const again = await newProvider(scope);
    expect(await discover('b')).toEqual({ kind: 'provider_not_found' });
    expect((await toolsOf(scope)).map(({ status }) => status.available)).toEqual([false]);
    expect(await again.discover('a')).toEqual(summary({ changed: 1 }));
  });

  it(verifies('STORE-020', 'of 101 tools, of several providers and at once, counts each once'), async () => {
    const scope = newScope();
    const providers = await Promise.all(['p', 'p-2', 'P', 'p_'].map((name) => newProvider(scope, name.replace(/_$/, '_x'))));
    const tools = Array.from({ length: 101 }, (_, index) => `tool ${index}`);
    const outcomes = await Promise.all([...providers, ...providers].map(({ discover }) => discover(...tools)));
    const counts = outcomes.map((outcome) => (outcome.kind === 'applied' ? [outcome.summary.new, outcome.summary.unchanged] : []));
    expect(counts.sort()).toEqual([...Array.from({ length: 4 }, () => [0, 101]), ...Array.from({ length: 4 }, () => [101, 0])]);
    expect(await newProvider(newScope()).then(({ discover }) => discover(...tools))).toEqual(summary({ new: 101 }));
  });
});
