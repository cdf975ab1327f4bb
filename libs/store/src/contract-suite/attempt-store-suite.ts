import { beforeAll, describe, expect, it } from '@jest/globals';
import { type RunKey, type Scope, toCanonicalId } from '@agentstration/contracts';
import { type AttemptQuery, type AttemptStore, type RunState, resolveManagedHooks } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { hookDefinition, newScope } from './samples.ts';

export interface SampleTool {
  readonly namespace?: string;
  readonly provider: string;
  readonly externalName: string;
  readonly enabled?: boolean;
}

/** How the suite fills the store that it tests. */
export interface AttemptStoreHarness {
  readonly store: AttemptStore;
  /** Puts a provider and one Tool of it. */
  putTool(scope: Scope, tool: SampleTool): Promise<void>;
  /** Puts a hook as somebody would who passes by the API. */
  putHook(scope: Scope, hook: { readonly namespace?: string; readonly name: string; readonly definition: unknown }): Promise<void>;
  putRun(run: RunKey, state: Pick<RunState, 'cancelled' | 'persistToolArguments'>): Promise<void>;
}

/** What every `AttemptStore` must do. */
export function describeAttemptStore(harnessOf: () => AttemptStoreHarness): void {
  const scope = newScope();
  const neighbour = newScope();
  const attempt = (changes: Partial<AttemptQuery> = {}): AttemptQuery => ({
    ...scope,
    ownerKind: 'RuntimeRun',
    runId: 'unregistered',
    toolId: 'acme.status',
    agentId: 'agent',
    ...changes,
  });
  /** The hooks that would be entered, or why none can be. */
  async function guardsOf(changes: Partial<AttemptQuery> = {}): Promise<string | string[]> {
    const query = attempt(changes);
    const { entry, hooks } = await harnessOf().store.resolve(query);
    const target = { toolId: query.toolId, agentId: query.agentId, providerId: entry?.provider.providerId ?? '' };
    const resolved = resolveManagedHooks(hooks, query, target);
    return resolved.ok ? resolved.hooks.map(({ identity }) => identity.id.replace('managed:', '')).sort() : resolved.reason;
  }

  beforeAll(async () => {
    const harness = harnessOf();
    await harness.putTool(scope, { provider: 'acme', externalName: 'status', enabled: true });
    await harness.putTool(scope, { provider: 'acme', externalName: '_status' });
    await harness.putTool(scope, { namespace: 'team', provider: 'acme', externalName: 'status' });
    const hooks: [string, Parameters<typeof hookDefinition>[0]][] = [
      ['any', {}],
      ['off', { enabled: false }],
      ['one-tool', { selector: { tools: ['acme.status'] } }],
      ['two-tools', { selector: { tools: ['acme._status', 'acme.status'] } }],
      ['other-tool', { selector: { tools: ['acme._status'] } }],
      ['other-case', { selector: { tools: ['Acme.status', 'acme.Status', 'acme', 'status', 'acme.statu', 'acme.*'] } }],
      ['provider', { selector: { providers: ['acme'] } }],
      ['joined-provider', { selector: { providers: ['acme_', 'acme.'] } }],
      ['team-provider', { selector: { providers: ['team/acme'] } }],
      ['agent', { selector: { agents: ['agent', 'other'] } }],
      ['all-three', { selector: { tools: ['acme.status', 'x'], providers: ['y', 'acme'], agents: ['agent'] } }],
      ['not-this-agent', { selector: { tools: ['acme.status'], providers: ['acme'], agents: ['somebody'] } }],
    ];
    for (const [name, sample] of hooks) await harness.putHook(scope, { name, definition: hookDefinition(sample) });
    await harness.putHook(scope, { namespace: 'team', name: 'any', definition: hookDefinition() });
    await harness.putHook(neighbour, { name: 'theirs', definition: hookDefinition() });
  });

  describe('the hooks of an attempt', () => {
    const everywhere = ['default/any', 'team/any'];
    it(verifies(['STORE-031'], 'are those whose every list holds the whole id, of any namespace'), async () => {
      expect(await guardsOf()).toEqual([
        ...['default/agent', 'default/all-three', 'default/any', 'default/one-tool', 'default/provider', 'default/two-tools', 'team/any'],
      ]);
      expect(await guardsOf({ toolId: 'acme._status', agentId: 'nobody' })).toEqual([
        ...['default/any', 'default/other-tool', 'default/provider', 'default/two-tools', 'team/any'],
      ]);
      expect(await guardsOf({ toolId: 'team/acme.status', agentId: 'nobody' })).toEqual([
        ...['default/any', 'default/team-provider', 'team/any'],
      ]);
      expect(await guardsOf({ toolId: 'unknown', agentId: 'nobody' })).toEqual(everywhere);
    });

    it(verifies('STORE-031', 'are of its own workspace'), async () => {
      expect(await guardsOf({ ...neighbour })).toEqual(['default/theirs']);
      expect(await guardsOf({ ...newScope() })).toEqual([]);
      expect(await guardsOf({ tenantId: 'other', workspaceId: scope.workspaceId })).toEqual([]);
    });

    const broken: [string, unknown][] = [
      ['no object', 7],
      ['null', null],
      ['a handler that does not exist', hookDefinition({ handler: 'script' })],
      ['a selector for another tool, and a wrong order', { ...hookDefinition({ selector: { tools: ['elsewhere'] } }), order: 'first' }],
      ['disabled, and an unknown property', { ...hookDefinition({ enabled: false }), script: 'rm' }],
      ['enabled by a word', { ...hookDefinition(), enabled: 'false' }],
      ['a repeated name', hookDefinition({ selector: { agents: ['a', 'a'] } })],
      ['a deny without a code', hookDefinition({ configuration: { message: 'no' } })],
      ['a blank name in a selector', hookDefinition({ selector: { tools: ['elsewhere', '\u2003'] } })],
    ];
    it.each(broken)(
      verifies(['STORE-031', 'STORE-032'], 'fail wherever one row of the workspace is invalid: %s'),
      async (_what, definition) => {
        const ill = newScope();
        await harnessOf().putHook(ill, { name: 'fine', definition: hookDefinition() });
        expect(await guardsOf(ill)).toEqual(['default/fine']);
        await harnessOf().putHook(ill, { name: 'broken', definition });
        expect(await guardsOf(ill)).toBe('invalid_row');
        expect(await guardsOf({ ...ill, toolId: 'other', agentId: 'other' })).toBe('invalid_row');
        expect(await guardsOf(neighbour)).toEqual(['default/theirs']);
      },
    );

    it(verifies('STORE-032', 'fail by a row whose name no resource can have'), async () => {
      const ill = newScope();
      await harnessOf().putHook(ill, { name: 'a/b', definition: hookDefinition({ selector: { tools: ['elsewhere'] } }) });
      expect(await guardsOf(ill)).toBe('invalid_row');
    });
  });

  describe('the Tool of an attempt', () => {
    it('comes with its provider', async () => {
      const { entry } = await harnessOf().store.resolve(attempt());
      expect(entry).toMatchObject({
        toolId: 'acme.status',
        externalToolId: 'status',
        available: true,
        definition: { enabled: true, delivery: 'AtLeastOnce', timeoutMs: 60_000, retry: { maxAttempts: 1, backoffMs: 1000 } },
        provider: { scope, providerId: 'acme', generation: 1, definition: { enabled: true, providerType: 'mcp' } },
      });
      const team = await harnessOf().store.resolve(attempt({ toolId: toCanonicalId('team', 'acme.status') }));
      expect(team.entry).toMatchObject({
        toolId: 'team/acme.status',
        definition: { enabled: false },
        provider: { providerId: 'team/acme' },
      });
    });

    it.each([
      ...[
        'default/acme.status',
        'ACME.status',
        'acme.statu',
        'acme.status ',
        'acme',
        'status',
        '',
        '/',
        '/acme.status',
        'team//acme.status',
      ],
      ...["acme.status' OR true --", 'acme.status\u0000', 'x'.repeat(382)],
    ])(verifies('STORE-036', 'is not found by %j'), async (toolId) => {
      expect((await harnessOf().store.resolve(attempt({ toolId }))).entry).toBeUndefined();
    });

    it('is of its own workspace', async () => {
      expect((await harnessOf().store.resolve(attempt(neighbour))).entry).toBeUndefined();
    });
  });

  describe('the Run of an attempt', () => {
    const runOf = async (changes: Partial<AttemptQuery>): Promise<RunState> => (await harnessOf().store.resolve(attempt(changes))).run;

    it('is what was registered of it, and nothing when it was not', async () => {
      const unknown = { registered: false, cancelled: false, persistToolArguments: null };
      for (const persistToolArguments of [true, false, null]) {
        const runId = `run:${persistToolArguments}`;
        await harnessOf().putRun({ ...scope, ownerKind: 'FlowRun', runId }, { cancelled: false, persistToolArguments });
        expect(await runOf({ ownerKind: 'FlowRun', runId })).toEqual({ registered: true, cancelled: false, persistToolArguments });
        expect(await runOf({ ownerKind: 'RuntimeRun', runId })).toEqual(unknown);
        expect(await runOf({ ...neighbour, ownerKind: 'FlowRun', runId })).toEqual(unknown);
      }
      await harnessOf().putRun({ ...scope, ownerKind: 'RuntimeRun', runId: 'gone' }, { cancelled: true, persistToolArguments: null });
      expect(await runOf({ runId: 'gone' })).toEqual({ registered: true, cancelled: true, persistToolArguments: null });
    });
  });
}
