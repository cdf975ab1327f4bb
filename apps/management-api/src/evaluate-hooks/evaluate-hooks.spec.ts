import type { HookRow } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { evaluateHooks } from './evaluate-hooks.ts';

const scope = { tenantId: 'acme', workspaceId: 'demo' };
const target = { toolId: 'crm.lookup', providerId: 'crm', agentId: 'support' };
const row = (name: string, definition: object = {}): HookRow => ({
  ...scope,
  namespace: 'default',
  name,
  generation: 2,
  definition: { displayName: name, handler: 'deny', configuration: { code: `${name}-denied`, message: 'CANARY' }, ...definition },
});

describe('evaluate hooks', () => {
  it(verifies('EVAL-001', 'nothing matches, nothing stops'), async () => {
    expect(await evaluateHooks([], scope, target)).toEqual({ decision: 'Allowed', code: null, chain: [], leftOut: [] });
  });

  it(verifies('EVAL-001', 'the chain has its order, and says which hooks a denial keeps from being asked'), async () => {
    const answer = await evaluateHooks([row('b', { order: 1 }), row('a', { order: 1 }), row('first', { order: -5 })], scope, target);

    expect(answer.chain.map(({ hook, code, reached }) => [hook.id, code, reached])).toEqual([
      ['managed:default/first', 'first-denied', true],
      ['managed:default/a', 'a-denied', false],
      ['managed:default/b', 'b-denied', false],
    ]);
    expect(answer).toMatchObject({ decision: 'Denied', code: 'first-denied' });
    expect(answer.chain[0]?.hook).toEqual({
      id: 'managed:default/first',
      order: -5,
      source: 'Managed',
      resourceId: 'default/first',
      resourceGeneration: 2,
    });
  });

  it(verifies('EVAL-001', 'each hook that is left out has its reason'), async () => {
    const rows = [
      row('tools', { selector: { tools: ['crm'] } }),
      row('providers', { selector: { tools: ['crm.lookup'], providers: ['crm.lookup'] } }),
      row('agents', { selector: { agents: ['Support'] } }),
      row('off', { enabled: false }),
    ];
    const { decision, leftOut } = await evaluateHooks(rows, scope, target);

    expect(decision).toBe('Allowed');
    expect(leftOut.map(({ resourceId, reason, selector }) => [resourceId, reason, selector])).toEqual([
      ['default/tools', 'selector', 'tools'],
      ['default/providers', 'selector', 'providers'],
      ['default/agents', 'selector', 'agents'],
      ['default/off', 'disabled', null],
    ]);
  });

  it(verifies('EVAL-002', 'no message of a denial is shown'), async () => {
    expect(JSON.stringify(await evaluateHooks([row('a')], scope, target))).not.toContain('CANARY');
  });

  it(verifies('EVAL-003', 'an invalid row fails the resolution, whatever its selector says'), async () => {
    const broken = row('broken', { selector: { tools: ['other'] }, handler: 'script' });
    const answer = await evaluateHooks([row('a'), broken], scope, target);

    expect(answer).toMatchObject({ decision: 'Failed', code: 'tool_execution_hook_resolution_failed' });
    expect(answer.leftOut).toEqual([{ resourceId: 'default/broken', resourceGeneration: 2, reason: 'invalid', selector: null }]);
    expect(answer.chain.map(({ reached }) => reached)).toEqual([false]);
  });

  it(verifies('EVAL-003', 'more than 64 hooks fail as in the executor'), async () => {
    const rows = Array.from({ length: 65 }, (_, index) => row(`h${index}`));
    expect(await evaluateHooks(rows, scope, target)).toMatchObject({ decision: 'Failed', code: 'tool_execution_hook_resolution_failed' });
  });
});
