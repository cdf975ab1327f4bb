import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import type { LabelRequirement, ResourceKey, ResourceStore, StoredResource } from '../resources/resource-store.ts';
import { content, hookDefinition, newScope, providerDefinition, resourceKey } from './samples.ts';

/** What every `ResourceStore` must do. */
export function describeResourceStore(storeOf: () => ResourceStore): void {
  const hook = (name = 'guard', scope = newScope()): ResourceKey => resourceKey(scope, 'ToolExecutionHook', name);
  const create = async (key: ResourceKey, definition: object = hookDefinition(), labels = {}): Promise<StoredResource> => {
    const outcome = await storeOf().create(key, content(definition, labels), 'maker');
    if (outcome.kind !== 'created') throw new Error(outcome.kind);
    return outcome.resource;
  };

  describe('a resource', () => {
    it(verifies('STORE-017', 'comes back as it was given, whatever JSON its definition is'), async () => {
      const key = hook();
      const definition = {
        odd: 'a\u0000b',
        emoji: '𝒳\u{10FFFF}',
        'ke\u0000y': [null, 1e21, { __proto__: null, '': '\\u0000' }],
        ordered: 1,
        a: 2,
      };
      const created = await create(key, definition);
      expect(created).toMatchObject({ ...key, generation: 1, revision: 1, definition: JSON.parse(JSON.stringify(definition)) as object });
      expect(await storeOf().get(key)).toEqual(created);
      expect(Object.keys(created.definition)).toEqual(Object.keys(definition));
      const status = await storeOf().setStatus(key, { note: '\u0000', conditions: [{ type: 'Valid' }] });
      expect(status).toMatchObject({ kind: 'updated', resource: { status: { note: '\u0000' } } });
    });

    it(verifies('STORE-015', 'is named exactly: another case, namespace, kind or workspace is another resource'), async () => {
      const key = hook('Guard');
      await create(key);
      const others = [
        { ...key, name: 'guard' },
        { ...key, namespace: 'team' },
        { ...key, kind: 'ToolProvider' as const },
        { ...key, workspaceId: 'other' },
        { ...key, tenantId: 'other' },
      ];
      for (const other of others) expect(await storeOf().get(other)).toBeUndefined();
      await create({ ...key, name: 'guard' });
      expect(await storeOf().create(key, content(hookDefinition()), 'maker')).toMatchObject({ kind: 'already_exists', resource: key });
    });

    it(verifies('STORE-011', 'is changed by one of 50 writers that saw the same'), async () => {
      const key = hook();
      const expected = await create(key);
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, order) =>
          storeOf().replace(key, { expected, content: content(hookDefinition({ order: order + 1 })) }, `writer-${order}`),
        ),
      );
      const won = outcomes.filter(({ kind }) => kind === 'replaced');
      expect(won).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'conflict')).toHaveLength(49);
      expect(await storeOf().get(key)).toMatchObject({ generation: 2, revision: 2 });
      expect(won[0]).toMatchObject({ previousGeneration: 1, resource: { generation: 2 } });
    });

    it(verifies('STORE-013', 'is not changed by what stands there already'), async () => {
      const key = hook();
      const expected = await create(key, { b: 1, a: { d: 1, c: [] } }, { app: 'x' });
      const same = { labels: { app: 'x' }, annotations: {}, definition: { a: { c: [], d: 1 }, b: 1 } };
      expect(await storeOf().replace(key, { expected, content: same }, 'other')).toEqual({ kind: 'unchanged', resource: expected });
      await storeOf().replace(key, { expected, content: content({ b: 2 }) }, 'other');
      expect(await storeOf().replace(key, { expected, content: same }, 'other')).toMatchObject({
        kind: 'conflict',
        resource: { revision: 2 },
      });
    });

    it(
      verifies('STORE-014', 'moves its revision with labels, annotations and status, its generation with the definition alone'),
      async () => {
        const key = hook();
        const first = await create(key);
        const labelled = await storeOf().replace(key, { expected: first, content: content(hookDefinition(), { app: 'x' }) }, 'me');
        expect(labelled).toMatchObject({ kind: 'replaced', resource: { generation: 1, revision: 2, labels: { app: 'x' } } });
        const status = { conditions: [{ type: 'Valid' }], lastError: 'gone' };
        expect(await storeOf().setStatus(key, status)).toMatchObject({ kind: 'updated', resource: { generation: 1, revision: 3, status } });
        expect(await storeOf().setStatus(key, status)).toMatchObject({ kind: 'unchanged', resource: { revision: 3 } });
        expect(await storeOf().setStatus(key, { lastError: null })).toMatchObject({
          resource: { revision: 4, status: { conditions: [{}] } },
        });
        expect(await storeOf().setStatus(key, { x: 1 }, crypto.randomUUID())).toEqual({ kind: 'not_found' });
        const stale = await storeOf().replace(key, { expected: first, content: content(hookDefinition({ order: 5 })) }, 'me');
        expect(stale).toMatchObject({ kind: 'conflict', resource: { revision: 4 } });
      },
    );

    it(verifies('STORE-014', 'loses no status of 20 writers at once'), async () => {
      const key = hook();
      await create(key);
      await Promise.all(Array.from({ length: 20 }, (_, index) => storeOf().setStatus(key, { [`field${index}`]: index })));
      const { status, revision } = (await storeOf().get(key))!;
      expect(Object.keys(status).filter((field) => field.startsWith('field'))).toHaveLength(20);
      expect(revision).toBe(21);
    });

    it('is not there after its deletion, for any kind of write', async () => {
      const key = hook();
      const expected = await create(key);
      expect(await storeOf().delete(key, { ...expected, revision: 7 }, 'me')).toMatchObject({
        kind: 'conflict',
        resource: { revision: 1 },
      });
      expect(await storeOf().delete(key, expected, 'me')).toMatchObject({ kind: 'deleted' });
      expect(await storeOf().get(key)).toBeUndefined();
      expect(await storeOf().delete(key, expected, 'me')).toEqual({ kind: 'not_found' });
      expect(await storeOf().replace(key, { expected, content: content({ b: 2 }) }, 'me')).toEqual({ kind: 'not_found' });
      expect(await storeOf().setStatus(key, { a: 1 })).toEqual({ kind: 'not_found' });
      expect((await storeOf().list({ ...key, limit: 10 })).items).toEqual([]);
    });
  });

  describe('generations', () => {
    it(verifies(['STORE-010', 'STORE-012'], 'count on over delete and re-create, and stay readable'), async () => {
      const key = hook();
      const first = await create(key, { version: 'a' });
      await storeOf().replace(key, { expected: first, content: content({ version: 'b' }) }, 'changer');
      await storeOf().delete(key, (await storeOf().get(key))!, 'remover');
      const again = await create(key, { version: 'b' });
      expect(again).toMatchObject({ generation: 3, status: { conditions: [] } });
      expect(again.uid).not.toBe(first.uid);
      await storeOf().delete(key, again, 'remover');
      const history = (await storeOf().listGenerations(key, { limit: 10 }))!;
      expect(history.next).toBeNull();
      expect(history.items).toMatchObject([
        { generation: 3, uid: again.uid, definition: { version: 'b' }, changedBy: 'maker', deletion: { deletedBy: 'remover' } },
        { generation: 2, uid: first.uid, definition: { version: 'b' }, changedBy: 'changer', deletion: { deletedBy: 'remover' } },
        { generation: 1, uid: first.uid, definition: { version: 'a' }, changedBy: 'maker', deletion: null },
      ]);
      expect(await storeOf().getGeneration(key, 2)).toEqual(history.items[1]);
      for (const unknown of [0, 4, 2 ** 31, Number.MAX_SAFE_INTEGER]) expect(await storeOf().getGeneration(key, unknown)).toBeUndefined();
      expect(await storeOf().listGenerations(key, { limit: 1, before: 2 ** 40 })).toMatchObject({ items: [{ generation: 3 }], next: 3 });
    });

    it('are read in pages, and belong to a name', async () => {
      const key = hook();
      expect(await storeOf().listGenerations(key, { limit: 2 })).toBeUndefined();
      let resource = await create(key, { version: 1 });
      for (const version of [2, 3, 4]) {
        const outcome = await storeOf().replace(key, { expected: resource, content: content({ version }) }, 'me');
        if (outcome.kind === 'replaced') resource = outcome.resource;
      }
      const first = (await storeOf().listGenerations(key, { limit: 3 }))!;
      expect([first.items.map(({ generation }) => generation), first.next]).toEqual([[4, 3, 2], 2]);
      const rest = (await storeOf().listGenerations(key, { limit: 3, before: first.next! }))!;
      expect([rest.items.map(({ generation }) => generation), rest.next]).toEqual([[1], null]);
      expect(await storeOf().listGenerations({ ...key, workspaceId: 'other' }, { limit: 2 })).toBeUndefined();
    });

    it(verifies('STORE-010', 'neither repeat nor go back under 50 writers that create, change and delete'), async () => {
      const key = hook();
      const write = async (writer: number): Promise<number[]> => {
        const made: number[] = [];
        for (let turn = 0; turn < 20; turn += 1) {
          const current = await storeOf().get(key);
          const next = content({ writer, turn });
          const outcome = !current
            ? await storeOf().create(key, next, 'me')
            : (writer + turn) % 3 === 0
              ? await storeOf().delete(key, current, 'me')
              : await storeOf().replace(key, { expected: current, content: next }, 'me');
          if (outcome.kind === 'created' || outcome.kind === 'replaced') made.push(outcome.resource.generation);
        }
        return made;
      };
      const made = (await Promise.all(Array.from({ length: 50 }, (_, writer) => write(writer)))).flat().sort((a, b) => a - b);
      expect(made.length).toBeGreaterThan(20);
      expect(made).toEqual(made.map((_, index) => index + 1));
      const history = await storeOf().listGenerations(key, { limit: 1000 });
      expect(history?.items.map(({ generation }) => generation)).toEqual([...made].reverse());
    });
  });

  describe('a list', () => {
    const names = async (scope: ReturnType<typeof newScope>, labels: LabelRequirement[]): Promise<string[]> =>
      (await storeOf().list({ ...scope, kind: 'ToolExecutionHook', limit: 50, labels })).items.map(({ name }) => name);

    it(verifies('STORE-015', 'is ordered by namespace and name in code units, and continues where a page ended'), async () => {
      const scope = newScope();
      const places = [
        ['b', 'a'],
        ['a.b', 'x'],
        ['a', 'b'],
        ['a', 'B'],
        ['a', 'a-1'],
        ['a', 'a1'],
        ['a', 'Z'],
        ['a-b', 'x'],
      ] as const;
      for (const [namespace, name] of places) await create(resourceKey(scope, 'ToolExecutionHook', name, namespace));
      await create(resourceKey(scope, 'ToolProvider', 'p'), providerDefinition);
      const seen: string[] = [];
      let after: { namespace: string; name: string } | undefined;
      do {
        const page = await storeOf().list({ ...scope, kind: 'ToolExecutionHook', limit: 3, ...(after && { after }) });
        seen.push(...page.items.map(({ namespace, name }) => `${namespace}/${name}`));
        after = page.next ?? undefined;
        // What is written before the place of the page is not met, what is written behind it is; nothing is met twice.
        await create(resourceKey(scope, 'ToolExecutionHook', `0-${seen.length}`, '0'));
      } while (after);
      expect(seen).toEqual(['a/B', 'a/Z', 'a/a-1', 'a/a1', 'a/b', 'a-b/x', 'a.b/x', 'b/a']);
      const one = await storeOf().list({ ...scope, kind: 'ToolExecutionHook', namespace: 'a', limit: 4 });
      expect([one.items.map(({ name }) => name), one.next]).toEqual([['B', 'Z', 'a-1', 'a1'], { namespace: 'a', name: 'a1' }]);
    });

    it(verifies('STORE-016', 'chooses by labels'), async () => {
      const scope = newScope();
      const labelled: Record<string, Record<string, string>> = {
        none: {},
        web: { app: 'web', tier: 'front' },
        api: { app: 'api', tier: 'back' },
        bare: { app: '' },
      };
      for (const [name, labels] of Object.entries(labelled)) await create(resourceKey(scope, 'ToolExecutionHook', name), {}, labels);
      const cases: [LabelRequirement[], string[]][] = [
        [[], ['api', 'bare', 'none', 'web']],
        [[{ key: 'app', operator: 'in', values: ['web'] }], ['web']],
        [[{ key: 'app', operator: 'in', values: ['web', 'api', "'; --"] }], ['api', 'web']],
        [[{ key: 'app', operator: 'in', values: [''] }], ['bare']],
        [[{ key: 'app', operator: 'in', values: [] }], []],
        [[{ key: 'app', operator: 'notIn', values: ['web'] }], ['api', 'bare', 'none']],
        [[{ key: 'app', operator: 'notIn', values: [] }], ['api', 'bare', 'none', 'web']],
        [[{ key: 'app', operator: 'exists' }], ['api', 'bare', 'web']],
        [[{ key: 'app', operator: 'doesNotExist' }], ['none']],
        [
          [
            { key: 'app', operator: 'exists' },
            { key: 'tier', operator: 'notIn', values: ['back'] },
            { key: 'app', operator: 'notIn', values: [''] },
          ],
          ['web'],
        ],
      ];
      for (const [labels, expected] of cases) expect([labels, await names(scope, labels)]).toEqual([labels, expected]);
    });
  });
}
