import { describe, expect, it } from '@jest/globals';
import type { Scope, ToolExecutionHookDefinition } from '@agentstration/contracts';
import { type SelectorTarget, matchSelector, validateHookDefinition } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import fc from 'fast-check';
import { hookDefinition, newScope } from '../contract-suite/samples.ts';
import { useDatabase } from '../contract-suite/use-database.ts';
import { queryInScope } from '../connection/query-in-scope.ts';
import { type FoundHook, type ResolutionRow, resolutionStatement } from '../attempts/resolution-statement.ts';

const database = useDatabase();
let dataSource: ReturnType<typeof database.connect> | undefined;

async function insert(scope: Scope, definitions: readonly string[]): Promise<void> {
  await database.asSuperuser(
    `INSERT INTO agentstration.resources (tenant_id, workspace_id, kind, namespace, name, labels, annotations, definition, status, changed_by)
     SELECT $1, $2, 'ToolExecutionHook', 'default', 'hook-' || ordinal, '{}', '{}', definition::json, '{}', 'psql'
     FROM unnest($3::text[]) WITH ORDINALITY hook (definition, ordinal)`,
    [scope.tenantId, scope.workspaceId, definitions],
  );
}

/** Which of the hooks, by their number from 0, an attempt is given. */
async function found(scope: Scope, { toolId, agentId }: Pick<SelectorTarget, 'toolId' | 'agentId'>): Promise<number[]> {
  dataSource ??= database.connect('executor');
  const query = { ...scope, ownerKind: 'RuntimeRun', runId: 'r', toolId, agentId } as const;
  const [row] = await queryInScope<ResolutionRow>(dataSource, scope, resolutionStatement(scope, [query]));
  const hooks = JSON.parse(row?.hooks ?? '[]') as FoundHook[];
  return hooks.map(([, , , name]) => Number(name?.slice('hook-'.length)) - 1).sort((a, b) => a - b);
}

const ids = ['a', 'b', 'c.d', 'team/a', 'A', ' a', 'ä', '𝒳', 'x'.repeat(256)];
const list = fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 4 });
const valid = fc.record(
  {
    displayName: fc.constantFrom('A hook', 'ä𝒳', '\ufeffx', 'x'.repeat(256), '𝒳'.repeat(256)),
    enabled: fc.boolean(),
    order: fc.constantFrom(0, -10_000, 10_000, 1e3),
    handler: fc.constant('deny'),
    selector: fc.record({ tools: list, providers: list, agents: list }, { requiredKeys: [] }),
    configuration: fc.constant({ code: 'no', message: 'No.' }),
  },
  { requiredKeys: ['displayName', 'handler', 'configuration'] },
);
/** Values that are nearly right. */
const odd = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    ...[
      '',
      ' ',
      '\u00a0\u3000',
      '\u200b',
      'x'.repeat(257),
      '𝒳'.repeat(257),
      'a\u0000b',
      '\\u0000',
      -10_001,
      10_001,
      0.5,
      '1',
      'true',
      null,
    ],
    ...[[''], ['\u2028'], ['a', 'a'], ['ä', 'ä'], [1], [null], [['a']], Array.from({ length: 257 }, (_, index) => `t${index}`), {}, []],
  ),
);
const places = ['displayName', 'enabled', 'order', 'handler', 'selector', 'configuration', 'extra'] as const;
const inner = [
  ...(['tools', 'providers', 'agents', 'extra'] as const).map((key) => ['selector', key] as const),
  ...(['code', 'message', 'extra'] as const).map((key) => ['configuration', key] as const),
];
const spoiled = fc.oneof(
  fc.tuple(valid, fc.constantFrom(...places), odd).map(([definition, place, value]) => ({ ...definition, [place]: value })),
  fc.tuple(valid, fc.constantFrom(...inner), odd).map(([definition, [outer, key], value]) => ({
    ...definition,
    [outer]: { ...definition[outer], [key]: value },
  })),
  fc.tuple(valid, fc.constantFrom(...places)).map(([definition, place]) => ({ ...definition, [place]: undefined })),
  fc.jsonValue(),
);
const definitions = fc.array(fc.oneof(valid, spoiled), { minLength: 30, maxLength: 30 });
/** Ids that a Tool and an agent can have. */
const targets: readonly Pick<SelectorTarget, 'toolId' | 'agentId'>[] = ['a', 'b', 'c.d', 'team/a', 'A'].flatMap((toolId) =>
  ['a', 'c.d', 'zz'].map((agentId) => ({ toolId, agentId })),
);

/** What must be found; without a Tool there is no provider that a selector could name. */
function governs(text: string, target: Pick<SelectorTarget, 'toolId' | 'agentId'>): boolean {
  const judged = validateHookDefinition(JSON.parse(text));
  return !judged.ok || (judged.definition.enabled && matchSelector(judged.definition.selector, { ...target, providerId: '' }).matches);
}

describe('the places of hooks', () => {
  it(
    verifies('STORE-038', 'are where the domain says, for any definition: none too few, none too many'),
    async () => {
      await fc.assert(
        fc.asyncProperty(definitions, async (drawn) => {
          const scope = newScope();
          const texts = drawn.map((definition) => JSON.stringify(definition));
          await insert(scope, texts);
          for (const target of targets) {
            const expected = texts.flatMap((text, index) => (governs(text, target) ? [index] : []));
            expect([target, await found(scope, target)]).toEqual([target, expected]);
          }
        }),
        { numRuns: 25 },
      );
    },
    120_000,
  );

  const many = (prefix: string, count = 256): string[] => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

  it(verifies('STORE-038', 'of a hook that names thousands of combinations stay few, and none is missed'), async () => {
    const scope = newScope();
    const all: ToolExecutionHookDefinition = hookDefinition({ selector: { tools: many('t'), providers: many('p', 2), agents: many('a') } });
    await insert(scope, [JSON.stringify(all), JSON.stringify({ ...all, selector: { ...all.selector, providers: [] } })]);
    const [count] = await database.asSuperuser<{ places: number }>(
      'SELECT count(*)::integer AS places FROM agentstration.hook_anchors WHERE workspace_id = $1',
      [scope.workspaceId],
    );
    expect(count!.places).toBeLessThanOrEqual(2 * 1024);
    for (const index of [0, 17, 255]) expect(await found(scope, { toolId: `t${index}`, agentId: `a${255 - index}` })).toContain(1);
    expect(await found(scope, { toolId: 'other', agentId: 'a0' })).toEqual([]);
  });

  it(verifies('STORE-032', 'hold whatever cannot be read at all'), async () => {
    const scope = newScope();
    const texts = [
      `${'['.repeat(2_000)}${']'.repeat(2_000)}`,
      '{"displayName": 1e999999}',
      '{"displayName": "\\ud800", "handler": "deny"}',
      `{"enabled": false, "displayName": "x", "handler": "deny", "configuration": {"code": "a", "message": "b\\u0000"}}`,
      `{"enabled": true, "enabled": false, "displayName": "x", "handler": "deny", "configuration": {"code": "a", "message": "b"}}`,
    ];
    await insert(scope, texts);
    // The last one says `enabled` twice: every reader takes the second, as `JSON.parse` does.
    expect(await found(scope, { toolId: 'x', agentId: 'y' })).toEqual([0, 1, 2, 3]);
  });
});
