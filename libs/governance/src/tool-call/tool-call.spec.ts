import { attemptFacts, abandoned, denies } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import type { Fact } from '@agentstration/contracts';
import fc from 'fast-check';
import { decideDelivery } from './decide-delivery.ts';
import { foldToolCall } from './evolve-tool-call.ts';

const asked = { requestId: 'request-1', toolId: 'everything.echo', agentId: 'support-agent' };
const held = { openAttemptIsHeldElsewhere: false };

/** Given facts, when a Request is delivered, then this is decided. */
const given = (...facts: readonly Fact[]) => {
  const state = foldToolCall(facts.map((fact, index) => ({ sequence: (index + 1) * 10, previousSequence: index * 10, fact })));
  return {
    whenDelivered: (request: Partial<typeof asked> = {}, queue = held) => decideDelivery(state, { ...asked, ...request }, queue),
    state,
  };
};
const first = attemptFacts({ invocationId: 'one' });
const second = attemptFacts({ invocationId: 'two', attempt: 2 });

describe('a delivered Request', () => {
  it('starts the first attempt when nothing is known', () => {
    expect(given().whenDelivered()).toEqual({ kind: 'start', attempt: 1, attemptOfRequest: 1, expectedLastSequence: 0 });
  });

  it(verifies('CALL-003', 'is replayed when it ended finally, also after another Request was attempted'), () => {
    const ended = [
      first.started(),
      first.evaluated([denies('x')]),
      first.failed({ failureKind: 'Denied', outcome: 'Denied', errorCode: 'denied', errorType: 'HookDenied' }),
    ];
    expect(given(...ended).whenDelivered()).toMatchObject({ kind: 'replay', end: { kind: 'Failed' } });
    const retry = attemptFacts({ invocationId: 'two', attempt: 2, requestId: 'request-2' });
    expect(given(...ended, retry.started(), retry.evaluated(), retry.completed()).whenDelivered()).toMatchObject({
      kind: 'replay',
      end: { kind: 'Failed' },
    });
  });

  it(verifies('CALL-007', 'is attempted again when its attempt ended with final: false'), () => {
    const decision = given(first.started(), first.evaluated(), first.failed({ final: false })).whenDelivered();
    expect(decision).toEqual({ kind: 'start', attempt: 2, attemptOfRequest: 2, expectedLastSequence: 30 });
  });

  it.each([
    ['before the governance fact', [first.started()], 'Failed', false],
    ['after a denial', [first.started(), first.evaluated([denies('x')])], 'Failed', false],
    ['after an allowed AtLeastOnce', [first.started(), first.evaluated()], 'Unknown', false],
    ['after an allowed AtMostOnce', [first.started(), first.evaluated([], { delivery: 'AtMostOnce' })], 'Unknown', true],
  ] as const)(verifies('CALL-004', 'closes what a dead executor left open: %s'), (_when, facts, outcome, final) => {
    expect(given(...facts).whenDelivered()).toMatchObject({
      kind: 'close_abandoned',
      outcome,
      final,
      expectedLastSequence: facts.length * 10,
    });
  });

  it(verifies('CALL-005', 'waits while another queued message holds the open attempt'), () => {
    const elsewhere = { openAttemptIsHeldElsewhere: true };
    expect(given(first.started()).whenDelivered({ requestId: 'request-2' }, elsewhere)).toEqual({ kind: 'wait' });
    expect(given(first.started()).whenDelivered({}, elsewhere)).toEqual({ kind: 'wait' });
    expect(given(first.started()).whenDelivered({ requestId: 'request-2' })).toMatchObject({ kind: 'close_abandoned' });
  });

  it(verifies('CALL-006', 'of another tool or agent is rejected before anything else'), () => {
    for (const other of [{ toolId: 'other' }, { agentId: 'other' }]) {
      expect(given(first.started()).whenDelivered(other)).toEqual({ kind: 'reject', code: 'tool_call_mismatch' });
    }
  });
});

describe('the state of a tool call', () => {
  it('keeps the first terminal fact of an attempt, and moves the fence with every fact', () => {
    const { state } = given(first.started(), first.evaluated(), first.failed(abandoned), first.completed());
    expect(state.newest?.end).toMatchObject({ kind: 'Failed', data: { errorCode: 'attempt_abandoned' } });
    expect(state.lastSequence).toBe(40);
  });

  it('is not moved by a late outcome of an older attempt', () => {
    const { state } = given(first.started(), first.failed({ ...abandoned, outcome: 'Failed' }), second.started(), first.completed());
    expect(state.newest).toMatchObject({ started: { invocationId: 'two' }, end: undefined });
  });

  it(verifies('CALL-015', 'folds every sequence of facts, and decides on it without ever starting beside an open attempt'), () => {
    const anyFact = fc
      .constantFrom(first, second)
      .chain((attempt) =>
        fc.constantFrom<Fact>(
          attempt.started(),
          attempt.evaluated(),
          attempt.evaluated([denies('x')]),
          attempt.completed(),
          attempt.failed(),
          attempt.failed({ final: false }),
        ),
      );
    fc.assert(
      fc.property(fc.array(anyFact, { maxLength: 12 }), fc.boolean(), (facts, openAttemptIsHeldElsewhere) => {
        const { state, whenDelivered } = given(...facts);
        const decision = whenDelivered({}, { openAttemptIsHeldElsewhere });
        expect(state.lastSequence).toBe(facts.length * 10);
        expect(state.attempts).toBe(facts.filter(({ type }) => type.includes('Started')).length);
        if (decision.kind === 'start') expect(state.newest === undefined || state.newest.end !== undefined).toBe(true);
        if (decision.kind === 'close_abandoned') expect(openAttemptIsHeldElsewhere).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});
