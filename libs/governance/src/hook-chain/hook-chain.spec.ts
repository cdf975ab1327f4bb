import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Hook, HookInvocation } from '../ports/hook.ts';
import { evaluateHookChain } from './evaluate-hook-chain.ts';
import { maximumChainLength, orderHooks } from './order-hooks.ts';
import { readHookAnswer } from './read-hook-answer.ts';
import type { TimeLimit } from './time-limit.ts';

const hook = (id: string, order: number, answer: unknown = { decision: 'Allowed' }): Hook => ({
  identity: { id, order, source: 'Local' },
  evaluate: () => answer as never,
});
const anyHooks = fc
  .uniqueArray(fc.tuple(fc.string({ minLength: 1 }), fc.integer({ min: -3, max: 3 })), {
    selector: ([id]) => id,
    maxLength: maximumChainLength,
  })
  .map((entries) => entries.map(([id, order]) => hook(id, order)));
const immediately: TimeLimit = async (work) => ({ kind: 'done', value: await work(new AbortController().signal) });
const invocation = {} as HookInvocation;

describe('the order of hooks', () => {
  it(verifies('HOOK-001', 'is by order, then by code units of the id, whatever order they came in'), () => {
    fc.assert(
      fc.property(anyHooks, fc.nat(), (hooks, turn) => {
        const rotated = hooks.map((_, index) => hooks[(index + turn) % hooks.length] as Hook);
        const ordered = orderHooks(rotated);
        if (!ordered.ok) throw new Error(ordered.reason);
        expect(ordered.hooks).toEqual(orderHooks(hooks).ok ? (orderHooks(hooks) as typeof ordered).hooks : []);
        ordered.hooks.slice(1).forEach(({ identity: right }, index) => {
          const left = (ordered.hooks[index] as Hook).identity;
          expect(left.order < right.order || (left.order === right.order && left.id < right.id)).toBe(true);
        });
      }),
    );
  });

  it(verifies('HOOK-001', 'does not follow a locale'), () => {
    const ordered = orderHooks([hook('a', 0), hook('B', 0), hook('ä', 0), hook('Z', 0)]);
    expect(ordered.ok && ordered.hooks.map(({ identity }) => identity.id)).toEqual(['B', 'Z', 'a', 'ä']);
  });

  it(verifies('HOOK-003', 'has no place for duplicate ids, or for more than 64'), () => {
    expect(orderHooks([hook('a', 1), hook('a', 2)])).toEqual({ ok: false, reason: 'duplicate_hook_id' });
    expect(orderHooks(Array.from({ length: 65 }, (_, index) => hook(`h${index}`, 0)))).toEqual({ ok: false, reason: 'too_many_hooks' });
  });
});

describe('the chain', () => {
  it(verifies(['HOOK-001', 'HOOK-002'], 'lists exactly the hooks up to the first that does not allow'), async () => {
    const answers = fc.constantFrom<unknown>(
      { decision: 'Allowed' },
      { decision: 'Denied', code: 'no', message: 'no' },
      null,
      'Allowed',
      true,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(answers, { maxLength: 10 }), async (given) => {
        const { evaluations, entered, verdict } = await evaluateHookChain(
          given.map((answer, index) => hook(`h${index}`, index, answer)),
          invocation,
          immediately,
        );
        const stop = given.findIndex((answer) => readHookAnswer(answer)?.decision !== 'Allowed');
        expect(evaluations).toHaveLength(stop < 0 ? given.length : stop + 1);
        expect(entered).toHaveLength(evaluations.length);
        expect(verdict.decision === 'Allowed').toBe(stop < 0);
        expect(evaluations.slice(0, stop < 0 ? undefined : stop).every(({ decision }) => decision === 'Allowed')).toBe(true);
      }),
    );
  });
});

describe('an answer', () => {
  it(verifies('HOOK-002', 'allows only as exactly { decision: "Allowed" }'), () => {
    fc.assert(
      fc.property(fc.anything(), (answer) => {
        const allowed = readHookAnswer(answer)?.decision === 'Allowed';
        const exact =
          typeof answer === 'object' &&
          answer !== null &&
          Object.keys(answer).length === 1 &&
          (answer as { decision?: unknown }).decision === 'Allowed';
        expect(allowed).toBe(exact);
      }),
    );
  });
});
