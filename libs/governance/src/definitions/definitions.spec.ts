import { apiVersion, patterns, toCanonicalId } from '@agentstration/contracts';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { handlers } from '../handlers/handlers.ts';
import { definitionValidators, validateManifest } from './validate-manifest.ts';
import { validateHookDefinition } from './validate-hook-definition.ts';
import { validateMetadata } from './validate-metadata.ts';
import type { Validated } from './validated.ts';

const hook = { displayName: 'Block', handler: 'deny', configuration: { code: 'blocked', message: 'No.' } };
const pointers = (verdict: Validated<unknown>): string[] => (verdict.ok ? [] : verdict.faults.map((fault) => fault.pointer));

/** Any JSON, biased towards the words of the definitions. */
const word = fc.constantFrom(
  'displayName',
  'enabled',
  'handler',
  'configuration',
  'selector',
  'tools',
  'mcp',
  'retry',
  '__proto__',
  'labels',
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom('deny', 'mcp', 'aep', 'stdio', 'streamableHttp', 'AtLeastOnce', true, 0, null),
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true }),
    fc.array(tie('value')),
    fc.dictionary(fc.oneof(word, fc.string()), tie('value')),
  ),
})).value;

describe('limits of a hook definition', () => {
  const last = 'x'.repeat(256);
  const entries = (count: number): string[] => Array.from({ length: count }, (_, index) => `tool-${index}`);
  const deny = (code: string, message: string) => ({ configuration: { code, message } });

  it.each<[string, object, string, object]>([
    ['display name', { displayName: last }, '/displayName', { displayName: `${last}x` }],
    ['display name, by code points', { displayName: '👮'.repeat(256) }, '/displayName', { displayName: '👮'.repeat(257) }],
    ['order, above', { order: 10_000 }, '/order', { order: 10_001 }],
    ['order, below', { order: -10_000 }, '/order', { order: -10_001 }],
    ['entries of a list', { selector: { tools: entries(256) } }, '/selector/tools', { selector: { tools: entries(257) } }],
    ['length of an entry', { selector: { agents: [last] } }, '/selector/agents/0', { selector: { agents: [`${last}x`] } }],
    ['code', deny('c'.repeat(128), 'm'), '/configuration/code', deny('c'.repeat(129), 'm')],
    ['message', deny('c', 'm'.repeat(2048)), '/configuration/message', deny('c', 'm'.repeat(2049))],
  ])(verifies('RES-002', '%s'), (_what, allowed, pointer, refused) => {
    expect(pointers(validateHookDefinition({ ...hook, ...allowed }))).toEqual([]);
    expect(pointers(validateHookDefinition({ ...hook, ...refused }))).toEqual([pointer]);
  });

  it(verifies('RES-002', 'a text of a megabyte is refused in no time'), () => {
    for (const filler of ['a', ' ', '\0', 'a ', '-']) {
      const long = filler.repeat(1_000_000 / filler.length);
      const started = Date.now();
      validateHookDefinition({ ...hook, displayName: long, selector: { tools: [long] }, configuration: { code: long, message: long } });
      validateMetadata('ToolExecutionHook', { name: long, namespace: long, labels: { [long]: long }, annotations: { a: long } });
      definitionValidators.ToolProvider({ providerType: 'mcp', mcp: { transport: 'streamableHttp', endpoint: `http://${long}` } });
      expect(Date.now() - started).toBeLessThan(2000);
    }
  });
});

describe('validation', () => {
  it(verifies(['RES-003', 'RES-004'], 'never throws, and accepts what it accepted again unchanged'), () => {
    fc.assert(
      fc.property(fc.constantFrom(...Object.values(definitionValidators)), json, (validate, value) => {
        const verdict = validate(value) as Validated<unknown>;
        if (verdict.ok) expect(validate(verdict.definition)).toEqual(verdict);
        else expect(verdict.faults.length).toBeGreaterThan(0);
      }),
      { numRuns: 2000 },
    );
  });

  it(verifies('RES-003', 'does not change its input'), () => {
    const frozen = Object.freeze({ ...hook, selector: Object.freeze({ tools: Object.freeze(['a', 'a']) }) });
    expect(pointers(validateHookDefinition(frozen))).toEqual(['/selector/tools/1']);
  });

  it(verifies('RES-004', 'refuses a property that nobody knows wherever it stands'), () => {
    fc.assert(
      fc.property(fc.constantFrom('', '/selector', '/configuration'), fc.string({ minLength: 1 }), json, (place, name, value) => {
        const known = [
          'displayName',
          'enabled',
          'order',
          'handler',
          'selector',
          'configuration',
          'tools',
          'providers',
          'agents',
          'code',
          'message',
        ];
        fc.pre(!known.includes(name));
        const extra = Object.fromEntries([[name, value]]);
        const definition = {
          ...{ ...hook, ...(place === '' ? extra : {}) },
          selector: place === '/selector' ? extra : {},
          configuration: { ...hook.configuration, ...(place === '/configuration' ? extra : {}) },
        };
        const verdict = validateHookDefinition(definition);
        expect(verdict.ok ? [] : verdict.faults.map((fault) => fault.code)).toEqual(['unknown_property']);
      }),
    );
  });

  it(verifies('RES-001', 'a message says what is allowed'), () => {
    const verdict = validateHookDefinition({ ...hook, displayName: '', order: 'first', handler: 'script' });
    expect(verdict.ok ? [] : verdict.faults).toEqual([
      { pointer: '/displayName', code: 'too_short', message: 'must be 1 to 256 characters, not only white space and none of them U+0000' },
      { pointer: '/order', code: 'wrong_type', message: 'must be an integer from -10000 to 10000' },
      { pointer: '/handler', code: 'not_allowed', message: 'must be one of deny' },
    ]);
  });

  it(verifies('RES-001', 'names at most 500 faults'), () => {
    const verdict = validateHookDefinition({ ...hook, selector: { tools: Array.from({ length: 2000 }, () => '') } });
    expect(pointers(verdict)).toHaveLength(500);
  });
});

describe('a manifest', () => {
  const manifest = { apiVersion, kind: 'ToolExecutionHook', metadata: { name: 'block' }, definition: hook };
  const judge = (document: unknown, address = {}) => validateManifest('ToolExecutionHook', document, address);

  it(verifies(['RES-005', 'RES-006'], 'may carry what the server adds'), () => {
    const served = {
      ...manifest,
      metadata: { name: 'block', uid: 'u', generation: 3, createdAt: 't', updatedAt: 't' },
      status: { conditions: [1] },
    };
    expect(judge(served)).toEqual({
      ok: true,
      definition: {
        kind: 'ToolExecutionHook',
        metadata: { name: 'block', namespace: 'default', labels: {}, annotations: {} },
        definition: { ...hook, enabled: true, order: 0, selector: { tools: [], providers: [], agents: [] } },
      },
    });
  });

  it(verifies('RES-005', 'takes name and namespace from the URL, and refuses to differ'), () => {
    expect(judge({ ...manifest, metadata: {} }, { name: 'a', namespace: 'team' })).toMatchObject({
      definition: { metadata: { name: 'a', namespace: 'team' } },
    });
    const wholeKey = { tenantId: 'acme', workspaceId: 'demo', kind: 'ToolExecutionHook', namespace: 'default', name: 'block' };
    expect(pointers(judge(manifest, wholeKey))).toEqual([]);
    expect(pointers(judge(manifest, { name: 'other', namespace: 'default' }))).toEqual(['/metadata/name']);
    expect(pointers(judge({ ...manifest, metadata: { name: 'block', namespace: 'b' } }, { name: 'block', namespace: 'a' }))).toEqual([
      '/metadata/namespace',
    ]);
  });

  it(verifies('RES-001', 'has its faults named from the top of the document, with those of its parts'), () => {
    const wrong = { apiVersion: 'v2', kind: 'Tool', metadata: { name: '-' }, definition: { ...hook, configuration: {} }, spec: {} };
    expect(new Set(pointers(judge(wrong)))).toEqual(
      new Set(['/apiVersion', '/kind', '/metadata/name', '/definition/configuration/code', '/definition/configuration/message', '/spec']),
    );
    expect(pointers(judge({}))).toEqual(['/apiVersion', '/kind', '/metadata', '/definition']);
    expect(pointers(judge('hook'))).toEqual(['']);
  });

  const selecting = (selector: object) => judge({ ...manifest, definition: { ...hook, selector } });

  it(verifies('RES-024', 'is refused where its selector names what nothing can be called'), () => {
    const wrong = {
      tools: ['crm.*', 'crm.lookup ', 'default/crm.lookup', '*', 'crm:lookup', 'crm.lookup\n'],
      providers: ['crm?', '*', 'default/crm', ' crm'],
      agents: ['sales agent', 'sales ', 'Агент'],
    };
    const places = Object.entries(wrong).flatMap(([kind, names]) => names.map((_, index) => `/definition/selector/${kind}/${index}`));
    expect(pointers(selecting(wrong))).toEqual(places);
    expect(selecting({ tools: ['crm.*'] })).toEqual({
      ok: false,
      faults: [
        {
          pointer: '/definition/selector/tools/0',
          code: 'cannot_match',
          message:
            'must be the whole id of a tool: letters, digits, ".", "_" and "-", after <namespace>/ unless that is default; there are no patterns',
        },
      ],
    });
  });

  it(verifies('RES-024', 'may name whatever a tool, provider or agent can be called'), () => {
    const any = {
      tools: ['crm.lookup', 'team.a/crm.lookup-1_x', 'echo', 'default', 'X'.repeat(256)],
      providers: ['crm', 'team.a/crm', 'Default', 'x'.repeat(256)],
      agents: ['*', 'default/agent', 'a@b:c/d', '~'.repeat(256)],
    };
    expect(pointers(selecting(any))).toEqual([]);
    const id = fc.tuple(fc.stringMatching(new RegExp(patterns.namespace)), fc.stringMatching(new RegExp(patterns.resourceName)));
    fc.assert(
      fc.property(id, fc.stringMatching(new RegExp(patterns.agentId)), ([namespace, name], agent) => {
        const tools = [toCanonicalId(namespace, name)].filter(({ length }) => length <= 256);
        expect(pointers(selecting({ tools, agents: [agent] }))).toEqual([]);
      }),
    );
  });

  it(verifies('RES-003', 'is judged without throwing, whatever it is'), () => {
    fc.assert(fc.property(json, json, (metadata, definition) => void judge({ ...manifest, metadata, definition }, { name: 'a' })));
  });
});

describe('deny', () => {
  it(verifies('RES-001', 'answers what its configuration says'), () => {
    const answer = handlers.get('deny')?.evaluate({ code: 'blocked', message: 'No.' }, {} as never);
    expect(answer).toEqual({ decision: 'Denied', code: 'blocked', message: 'No.' });
  });
});
