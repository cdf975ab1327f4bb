import type { Fact } from '@agentstration/contracts';
import { abandoned, allows, attemptFacts, denies, managed, runFact } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { type RunFold, foldRun, toToolCalls } from './fold-run.ts';
import type { Numbered } from './numbered-fact.ts';

/** Numbers facts as the Journal's order does; the Workspace has seen 1000 messages before. */
const given = (...facts: Fact[]): Numbered[] =>
  facts.map((fact, index) => ({ sequence: index + 1, workspaceSequence: 1001 + index, fact }));

const records = (fold: RunFold) => [...fold.records.values()];
const call = (fold: RunFold) => toToolCalls(fold)[0];

describe('given the facts of a Run, its records', () => {
  const attempt = attemptFacts({ invocationId: 'invocation-1', correlationId: 'correlation-1' });

  it(verifies('PROJ-001', 'hold what the governance fact says, and its numbers'), () => {
    const fold = foldRun(given(attempt.started(), attempt.evaluated([managed('block', 3)], {}, '2026-12-01T01:00:00+01:00')));
    expect(records(fold)).toEqual([
      {
        ownerKind: 'RuntimeRun',
        runId: 'run-42',
        sequence: 2,
        workspaceSequence: 1002,
        timestamp: '2026-12-01T00:00:00.000Z',
        toolCallId: 'call_9',
        invocationId: 'invocation-1',
        attempt: 1,
        toolId: 'everything.echo',
        toolName: 'echo',
        providerId: 'everything',
        externalToolId: 'echo',
        agentId: 'support-agent',
        correlationId: 'correlation-1',
        arguments: null,
        argumentsRetained: false,
        argumentsTruncated: false,
        decision: 'Allowed',
        outcome: null,
        evaluations: [managed('block', 3)],
      },
    ]);
  });

  it('does not exist before the chain was evaluated, and the Tool Call is running', () => {
    const fold = foldRun(given(runFact('RunCreated'), attempt.started()));
    expect(records(fold)).toEqual([]);
    expect(call(fold)).toMatchObject({ state: 'Running', final: false, attempts: 1, sequence: 2 });
    expect(call(fold)?.latestAttempt).toMatchObject({ decision: null, evaluations: [], outcome: null, evaluatedAt: null });
  });

  it.each([
    ['Allowed', [], 'nobody was in the chain'],
    ['Allowed', [allows('a'), allows('b')], 'everyone allowed'],
    ['Denied', [allows('a'), denies('b')], 'one denied'],
    ['Failed', [allows('a'), managed('b', 1, 'Failed')], 'one failed'],
    ['Denied', [managed('b', 1, 'Failed'), denies('a')], 'one denied and one failed'],
  ] as const)('say %s when %j (%s)', (decision, evaluations, _why) => {
    expect(records(foldRun(given(attempt.evaluated(evaluations))))[0]?.decision).toBe(decision);
  });

  it('keep retained arguments exactly, and only when they were retained', () => {
    const json = '{"text":"\\u0000 \u{1F600}"}';
    const [record] = records(foldRun(given(attempt.evaluated([], { arguments: { json, truncated: true, length: 99 } }))));
    expect(record).toMatchObject({ arguments: json, argumentsRetained: true, argumentsTruncated: true });
  });

  it('leave out what a later version adds to an evaluation', () => {
    const evaluation = { ...denies('a'), message: 'for the caller only', hook: { ...denies('a').hook, secret: 'x' } };
    expect(records(foldRun(given(attempt.evaluated([evaluation]))))[0]?.evaluations).toEqual([denies('a')]);
  });
});

describe('given an end, the outcome', () => {
  const attempt = attemptFacts();

  it.each([
    ['Succeeded', attempt.completed(), null],
    ['Failed', attempt.failed(), 'provider_error'],
    ['Denied', attempt.failed({ outcome: 'Denied', failureKind: 'Denied', errorCode: 'blocked', errorType: 'HookDenied' }), 'blocked'],
    [
      'Cancelled',
      attempt.failed({ outcome: 'Cancelled', failureKind: 'Cancelled', errorCode: 'cancelled', errorType: 'Cancelled' }),
      'cancelled',
    ],
    ['Unknown', attempt.failed({ outcome: 'Unknown', errorCode: 'provider_timeout', errorType: 'ProviderTimeout' }), 'provider_timeout'],
  ] as const)(verifies('PROJ-006', 'is %s'), (outcome, end, code) => {
    const fold = foldRun(given(attempt.started(), attempt.evaluated(), end));
    expect(records(fold)[0]?.outcome).toBe(outcome);
    expect(call(fold)).toMatchObject({ state: outcome, final: true });
    expect(call(fold)?.failure?.code ?? null).toBe(code);
  });

  it(verifies('PROJ-006', 'of an abandoned attempt tells its code, and the next attempt is what counts'), () => {
    const first = attemptFacts({ invocationId: 'first' });
    const second = attemptFacts({ invocationId: 'second', attempt: 2 });
    const fold = foldRun(
      given(first.started(), first.evaluated(), first.failed(abandoned), second.started(), second.evaluated(), second.completed()),
    );
    expect(records(fold).map(({ invocationId, outcome }) => [invocationId, outcome])).toEqual([
      ['first', 'Unknown'],
      ['second', 'Succeeded'],
    ]);
    expect(fold.attempts.get('call_9 first')?.ending?.failure?.code).toBe('attempt_abandoned');
    expect(call(fold)).toMatchObject({ state: 'Succeeded', attempts: 2, latestAttempt: { invocationId: 'second', attempt: 2 } });
  });

  it(verifies('PROJ-006', 'that comes after the attempt was closed is shown as late and changes nothing'), () => {
    const fold = foldRun(given(attempt.started(), attempt.evaluated(), attempt.failed(abandoned), attempt.completed(), attempt.failed()));
    expect(records(fold)[0]?.outcome).toBe('Unknown');
    expect(call(fold)).toMatchObject({ state: 'Unknown', final: false, failure: { code: 'attempt_abandoned' } });
    expect(call(fold)?.latestAttempt.lateOutcome).toMatchObject({ sequence: 4, outcome: 'Succeeded', durationMs: 12.5, failure: null });
  });

  it(verifies('PROJ-006', 'stands beside a governance fact that landed late'), () => {
    const unrecorded = {
      failureKind: 'Hook',
      errorCode: 'tool_execution_governance_unrecorded',
      errorType: 'GovernanceUnrecorded',
      final: false,
    } as const;
    const landedBefore = foldRun(given(attempt.started(), attempt.evaluated(), attempt.failed(unrecorded)));
    const landedAfter = foldRun(given(attempt.started(), attempt.failed(unrecorded), attempt.evaluated()));
    for (const fold of [landedBefore, landedAfter]) {
      expect(records(fold)).toMatchObject([{ decision: 'Allowed', outcome: 'Failed' }]);
      expect(call(fold)).toMatchObject({ state: 'Failed', final: false, failure: { code: 'tool_execution_governance_unrecorded' } });
    }
  });

  it('of a tool that reported an error itself is a success that says so', () => {
    const fold = foldRun(given(attempt.started(), attempt.evaluated(), attempt.completed({ toolReportedError: true })));
    expect(call(fold)).toMatchObject({ state: 'Succeeded', latestAttempt: { toolReportedError: true } });
  });
});
