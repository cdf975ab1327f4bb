import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import type { HookRow } from '../ports/attempt-store.ts';
import { matchSelector } from './match-selector.ts';
import { resolveManagedHooks } from './resolve-managed-hooks.ts';

const scope = { tenantId: 'acme', workspaceId: 'support' };
const target = { toolId: 'acme.status', providerId: 'acme', agentId: 'agent' };
const definition = (own: object = {}) => ({
  ...{ displayName: 'Block', enabled: true, order: 5, handler: 'deny', selector: { tools: [], providers: [], agents: [] } },
  configuration: { code: 'blocked', message: 'No.' },
  ...own,
});
const row = (own: Partial<HookRow> = {}): HookRow => ({
  ...scope,
  namespace: 'default',
  name: 'block',
  generation: 2,
  definition: definition(),
  ...own,
});

describe('selectors', () => {
  const all = { tools: ['acme.status'], providers: ['acme'], agents: ['agent'] };
  it(verifies('HOOK-006', 'combine with AND, and an empty list matches everything'), () => {
    expect(matchSelector({ tools: [], providers: [], agents: [] }, target)).toEqual({ matches: true });
    expect(matchSelector(all, target)).toEqual({ matches: true });
    expect(matchSelector({ ...all, tools: ['other'] }, target)).toEqual({ matches: false, failed: 'tools' });
    expect(matchSelector({ ...all, providers: ['other'] }, target)).toEqual({ matches: false, failed: 'providers' });
    expect(matchSelector({ ...all, agents: ['other'] }, target)).toEqual({ matches: false, failed: 'agents' });
  });

  it(verifies('HOOK-006', 'compare whole ids exactly: no case, no prefix, no joined strings'), () => {
    for (const tools of [['Acme.status'], ['acme'], ['acme.'], ['acme.status '], ['acme_.status'], ['_status']]) {
      expect(matchSelector({ ...all, tools }, target).matches).toBe(false);
    }
    const crossed = { toolId: '_status', providerId: 'acme', agentId: 'agent' };
    expect(matchSelector({ tools: ['status'], providers: ['acme_'], agents: [] }, crossed).matches).toBe(false);
  });
});

describe('managed hooks', () => {
  it('carry their resource, and only the enabled ones that match', () => {
    const other = definition({ selector: { tools: ['other'], providers: [], agents: [] } });
    const resolved = resolveManagedHooks(
      [row(), row({ name: 'off', definition: definition({ enabled: false }) }), row({ name: 'other', definition: other })],
      scope,
      target,
    );
    expect(resolved.ok && resolved.hooks.map(({ identity }) => identity)).toEqual([
      { id: 'managed:default/block', order: 5, source: 'Managed', resourceId: 'default/block', resourceGeneration: 2 },
    ]);
  });

  it(verifies('HOOK-007', 'fail as a whole for one foreign row, before its validity is looked at'), () => {
    expect(resolveManagedHooks([row(), row({ tenantId: 'other', name: 'theirs', definition: null })], scope, target)).toEqual({
      ok: false,
      reason: 'foreign_row',
      resourceId: 'default/theirs',
    });
    expect(resolveManagedHooks([row({ workspaceId: 'SUPPORT' })], scope, target)).toMatchObject({ reason: 'foreign_row' });
  });

  it.each([
    ['an unknown handler', { definition: definition({ handler: 'script' }) }],
    ['an unknown property', { definition: definition({ extra: 1 }) }],
    ['no configuration', { definition: definition({ configuration: {} }) }],
    ['null', { definition: null }],
    ['generation 0', { generation: 0 }],
    ['an illegal name', { name: 'no name' }],
  ])(verifies('HOOK-007', 'fail as a whole for one invalid row, also one that would not match: %s'), (_what, own) => {
    expect(resolveManagedHooks([row(), row({ name: 'broken', ...own })], scope, { ...target, toolId: 'something.else' })).toMatchObject({
      ok: false,
      reason: 'invalid_row',
    });
  });
});
