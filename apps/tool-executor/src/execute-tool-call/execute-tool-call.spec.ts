import { ExecutorRig, catalogueEntry, denyRow, localHook, request, scope } from '@agentstration/test/executor-rig';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';

const redelivered = { redelivered: true };

describe('an allowed call', () => {
  it(verifies(['CALL-001', 'GATE-006'], 'is recorded as started, evaluated and completed, and called once'), async () => {
    const rig = new ExecutorRig();
    const end = await rig.deliver();
    expect(rig.story).toBe('Started Governance Completed');
    expect(rig.providers.invocations).toHaveLength(1);
    expect(end).toMatchObject({ kind: 'finished', result: { outcome: 'Succeeded', attempt: 1, failure: null, resultOmitted: null } });
    expect(rig.facts[1]?.data).toMatchObject({ evaluations: [], delivery: 'AtLeastOnce' });
  });

  it(verifies('CALL-012', 'is completed when the tool itself reports an error'), async () => {
    const rig = new ExecutorRig();
    rig.providers.script('echo', { kind: 'answered', result: { isError: true }, isError: true });
    expect(await rig.deliver()).toMatchObject({ result: { outcome: 'Succeeded', result: { isError: true } } });
    expect(rig.facts[2]?.data).toMatchObject({ toolReportedError: true });
  });
});

describe('a denied call', () => {
  it(verifies(['GATE-006', 'HOOK-001'], 'is recorded before its terminal fact and never called'), async () => {
    const rig = new ExecutorRig();
    rig.store.putHook(denyRow());
    const end = await rig.deliver();
    expect(rig.story).toBe('Started Governance Failed:blocked');
    expect(rig.providers.invocations).toHaveLength(0);
    expect(end).toMatchObject({
      result: {
        outcome: 'Denied',
        failure: { kind: 'Denied', code: 'blocked', message: 'Not on a Friday.', hookId: 'managed:default/block' },
      },
    });
    expect(rig.facts[1]?.data).toMatchObject({
      evaluations: [
        {
          decision: 'Denied',
          code: 'blocked',
          hook: { id: 'managed:default/block', source: 'Managed', resourceId: 'default/block', resourceGeneration: 3 },
        },
      ],
    });
    expect(JSON.stringify([rig.facts, rig.logged])).not.toContain('Friday');
  });

  it(verifies('HOOK-001', 'lists no hook after the one that denied'), async () => {
    const rig = new ExecutorRig({
      hooks: [localHook('z', { decision: 'Allowed' }, { order: -1 }), localHook('b', { decision: 'Allowed' }, { order: 200 })],
    });
    rig.store.putHook(denyRow());
    await rig.deliver();
    expect(rig.facts[1]?.data).toMatchObject({ evaluations: [{ hook: { id: 'z' } }, { hook: { id: 'managed:default/block' } }] });
  });
});

describe('a hook that gives no valid answer', () => {
  const answers: [string, unknown][] = [
    [
      'throws',
      () => {
        throw new Error('secret');
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['never settles', () => new Promise(() => undefined)],
    ['returns undefined', undefined],
    ['returns true', true],
    ['returns {}', {}],
    ['allows in lower case', { decision: 'allowed' }],
    ['allows in upper case with a space', { decision: 'ALLOW ' }],
    ['allows with a code', { decision: 'Allowed', code: 'x', message: 'y' }],
    ['denies without a message', { decision: 'Denied', code: 'x' }],
    ['denies with an illegal code', { decision: 'Denied', code: 'no spaces', message: 'y' }],
  ];
  it.each(answers)(verifies('HOOK-002', 'fails and calls nothing: %s'), async (_name, answer) => {
    const rig = new ExecutorRig({ hooks: [localHook('guard', answer)] });
    expect(await rig.deliver()).toMatchObject({
      kind: 'finished',
      result: { outcome: 'Failed', failure: { kind: 'Hook', hookId: 'guard' } },
    });
    expect(rig.facts[1]?.data).toMatchObject({ evaluations: [{ decision: 'Failed' }] });
    expect(rig.providers.invocations).toHaveLength(0);
    expect(JSON.stringify([rig.facts, rig.logged])).not.toContain('secret');
  });
});

describe('hooks that cannot be resolved', () => {
  it.each([
    ['the store is unreachable', (rig: ExecutorRig) => void (rig.store.failure = new Error('down'))],
    ['a row is invalid', (rig: ExecutorRig) => void rig.store.putHook(denyRow({ definition: { enabled: false } }))],
    ['a row is foreign', (rig: ExecutorRig) => void rig.store.putHook(denyRow({ workspaceId: 'other' }), scope)],
  ])(verifies(['HOOK-004', 'HOOK-007', 'CALL-007'], 'fail closed with a fact, and the call is tried again: %s'), async (_name, spoil) => {
    const rig = new ExecutorRig();
    spoil(rig);
    expect(await rig.deliver()).toEqual({ kind: 'again', delayMs: 1_000 });
    expect(rig.story).toBe('Started Governance Failed:tool_execution_hook_resolution_failed');
    expect(rig.facts[1]?.data).toMatchObject({
      evaluations: [
        { hook: { id: 'hook-resolver', order: 0, source: 'Local' }, decision: 'Failed', code: 'tool_execution_hook_resolution_failed' },
      ],
    });
    expect(rig.providers.invocations).toHaveLength(0);
  });

  it.each([
    ['duplicate ids', [localHook('a', {}), localHook('a', {})], 'HookFailed'],
    ['more than 64', Array.from({ length: 65 }, (_, index) => localHook(`h${index}`, { decision: 'Allowed' })), 'TooManyHooks'],
  ])(verifies('HOOK-003', 'fail, and the record says why: %s'), async (_why, hooks, errorType) => {
    const code = 'tool_execution_hook_resolution_failed';
    const rig = new ExecutorRig({ hooks });
    expect(await rig.deliver()).toMatchObject({ kind: 'again' });
    expect(rig.story).toBe(`Started Governance Failed:${code}`);
    expect(rig.facts[1]?.data).toMatchObject({ evaluations: [{ hook: { id: 'hook-resolver' }, decision: 'Failed', code }] });
    expect(rig.facts[2]?.data).toMatchObject({ failureKind: 'Hook', errorCode: code, errorType });
    expect(rig.providers.invocations).toHaveLength(0);
  });

  it(verifies('CALL-007', 'end finally with the last attempt, and the outcome is told'), async () => {
    const rig = new ExecutorRig();
    rig.store.failure = new Error('down');
    expect(await rig.deliver()).toEqual({ kind: 'again', delayMs: 1_000 });
    expect(await rig.deliver(redelivered)).toEqual({ kind: 'again', delayMs: 5_000 });
    expect(await rig.deliver(redelivered)).toMatchObject({
      kind: 'finished',
      result: { attempt: 3, failure: { code: 'tool_execution_hook_resolution_failed' } },
    });
  });

  it(verifies(['HOOK-010', 'CALL-007'], 'recover with the store: the next attempt reads it anew'), async () => {
    const rig = new ExecutorRig();
    rig.store.failure = new Error('down');
    await rig.deliver();
    rig.store.failure = undefined;
    expect(await rig.deliver(redelivered)).toMatchObject({ result: { outcome: 'Succeeded', attempt: 2 } });
    rig.store.putHook(denyRow());
    expect(await rig.deliver({ queuePosition: 'queue:2', request: request({ toolCallId: 'next' }) })).toMatchObject({
      result: { outcome: 'Denied' },
    });
  });
});

describe('the meter', () => {
  it(verifies('METRIC-001', 'is told how each attempt ended, and when the gate stayed closed'), async () => {
    const rig = new ExecutorRig({ journal: { fault: (_append, index) => (index === 1 ? 'timed_out_not_stored' : undefined) } });
    await rig.deliver();
    expect(rig.counted).toEqual(['refused:unknown', 'Failed:Hook']);
    await rig.deliver(redelivered);
    rig.store.putHook(denyRow());
    await rig.deliver({ queuePosition: 'queue:2', request: request({ toolCallId: 'next' }) });
    expect(rig.counted.slice(2)).toEqual(['Succeeded', 'Denied:Denied']);
  });
});

describe('a tool that cannot be called', () => {
  it.each([
    ['tool_not_found', request({ toolId: 'everything.nothing' }), undefined],
    ['tool_disabled', request(), catalogueEntry({ definition: { enabled: false } })],
    ['tool_unavailable', request(), catalogueEntry({ available: false })],
    ['tool_provider_disabled', request(), catalogueEntry({ providerEnabled: false })],
  ])(verifies('CALL-002', 'is rejected and traced: %s'), async (code, asked, entry) => {
    const rig = new ExecutorRig({ hooks: [localHook('never-asked', { decision: 'Allowed' })] });
    if (entry) rig.store.putTool(entry);
    expect(await rig.deliver({ request: asked })).toMatchObject({ result: { outcome: 'Failed', failure: { kind: 'Rejected', code } } });
    expect(rig.story).toBe(`Started Governance Failed:${code}`);
    expect(rig.facts[1]?.data).toMatchObject({ evaluations: [{ hook: { id: 'tool-catalog', order: 0 }, decision: 'Failed', code }] });
    expect(rig.facts[2]?.data).toMatchObject({ final: true });
  });
});

describe('after the call', () => {
  it(verifies(['HOOK-005', 'HOOK-008'], 'tells the entered hooks in reverse, without the result'), async () => {
    const told: unknown[] = [];
    const listener = (id: string, order: number) =>
      localHook(id, { decision: 'Allowed' }, { order, afterInvoke: (_invocation, outcome) => void told.push([id, outcome]) });
    const rig = new ExecutorRig({ hooks: [listener('first', 1), listener('second', 2)] });
    await rig.deliver();
    expect(told).toEqual(['second', 'first'].map((id) => [id, { outcome: 'Succeeded', failureKind: null, code: null, durationMs: 0 }]));
  });

  it(verifies('HOOK-005', 'fails a success when a hook fails then, and tries the others all the same'), async () => {
    const told: string[] = [];
    const rig = new ExecutorRig({
      hooks: [
        localHook('a', { decision: 'Allowed' }, { order: 1, afterInvoke: () => void told.push('a') }),
        localHook('b', { decision: 'Allowed' }, { order: 2, afterInvoke: () => Promise.reject(new Error('no')) }),
      ],
    });
    expect(await rig.deliver()).toMatchObject({
      result: { outcome: 'Failed', result: null, failure: { kind: 'Hook', code: 'tool_execution_hook_failed', hookId: 'b' } },
    });
    expect(told).toEqual(['a']);
    expect(rig.story).toBe('Started Governance Failed:tool_execution_hook_failed');
  });

  it(verifies('HOOK-005', 'never replaces another failure'), async () => {
    const rig = new ExecutorRig({
      hooks: [localHook('a', { decision: 'Denied', code: 'no', message: 'no' }, { afterInvoke: () => Promise.reject(new Error('x')) })],
    });
    expect(await rig.deliver()).toMatchObject({ result: { outcome: 'Denied', failure: { code: 'no' } } });
  });

  it(verifies('HOOK-008', 'a hook that changes the arguments fails, and the provider receives what was sent'), async () => {
    const changing = {
      ...localHook('changing', {}),
      evaluate: (invocation: { arguments: Record<string, unknown> }) => ((invocation.arguments.message = 'other'), { decision: 'Allowed' }),
    };
    const rig = new ExecutorRig({ hooks: [changing as never] });
    await rig.deliver();
    expect(rig.providers.invocations).toHaveLength(0);
    expect(rig.story).toBe('Started Governance Failed:tool_execution_hook_failed');
  });
});

describe('deadline and cancellation', () => {
  const deadline = '2026-12-01T00:00:10Z';

  it(verifies('CALL-013', 'past the deadline nothing starts'), async () => {
    const rig = new ExecutorRig();
    rig.time.wall = Date.parse(deadline);
    expect(await rig.deliver({ request: request({ deadline }) })).toMatchObject({
      result: { invocationId: null, failure: { kind: 'Rejected', code: 'deadline_exceeded' } },
    });
    expect(rig.story).toBe('');
  });

  it(verifies('CALL-013', 'a deadline that passes while hooks run keeps the provider from being called'), async () => {
    const rig: ExecutorRig = new ExecutorRig({
      hooks: [localHook('slow', () => ((rig.time.wall = Date.parse(deadline)), { decision: 'Allowed' }))],
    });
    await rig.deliver({ request: request({ deadline }) });
    expect(rig.story).toBe('Started Governance Failed:deadline_exceeded');
    expect(rig.providers.invocations).toHaveLength(0);
  });

  it(verifies('CALL-014', 'a cancelled Run does not start'), async () => {
    const rig = new ExecutorRig();
    rig.store.putRun({ ...scope, ownerKind: 'RuntimeRun', runId: 'run-42' }, { cancelled: true });
    expect(await rig.deliver()).toMatchObject({ result: { outcome: 'Cancelled', failure: { kind: 'Cancelled', code: 'run_cancelled' } } });
    expect(rig.story).toBe('');
  });

  it(verifies('CALL-014', 'cancelled during a hook: traced, and not called'), async () => {
    const cancel = new AbortController();
    const rig = new ExecutorRig({ hooks: [localHook('slow', () => (cancel.abort(), { decision: 'Allowed' }))] });
    expect(await rig.deliver({ signal: cancel.signal })).toMatchObject({ result: { outcome: 'Cancelled' } });
    expect(rig.story).toBe('Started Governance Failed:cancelled');
    expect(rig.providers.invocations).toHaveLength(0);
  });

  it(verifies(['CALL-014', 'CALL-009'], 'cancelled while the provider works: the outcome is unknown, and it is recorded'), async () => {
    const cancel = new AbortController();
    const rig = new ExecutorRig();
    rig.providers.script('echo', () => (cancel.abort(), new Promise(() => undefined)));
    expect(await rig.deliver({ signal: cancel.signal })).toMatchObject({ result: { outcome: 'Unknown', failure: { kind: 'Cancelled' } } });
    expect(rig.story).toBe('Started Governance Failed:cancelled');
  });

  it(verifies('CALL-014', 'cancelled while it fails: it is not tried again'), async () => {
    const cancel = new AbortController();
    const rig = new ExecutorRig();
    rig.store.putTool(catalogueEntry({ definition: { retry: { maxAttempts: 3, backoffMs: 100 } } }));
    rig.providers.script('echo', () => (cancel.abort(), Promise.resolve({ kind: 'not_sent', code: 'provider_unreachable' })));
    expect(await rig.deliver({ signal: cancel.signal })).toMatchObject({
      kind: 'finished',
      result: { outcome: 'Failed', failure: { code: 'provider_unreachable' } },
    });
    expect(rig.facts.at(-1)?.data).toMatchObject({ final: true });
  });
});

describe('argument retention', () => {
  const retained = async (host: boolean, run: boolean | null | undefined): Promise<unknown> => {
    const rig = new ExecutorRig({ settings: { persistArguments: host } });
    if (run !== undefined) rig.store.putRun({ ...scope, ownerKind: 'RuntimeRun', runId: 'run-42' }, { persistToolArguments: run });
    await rig.deliver();
    return (rig.facts[1]?.data as { arguments?: unknown }).arguments;
  };

  it(verifies('ARGS-001', 'host and Run decide together; a Run that is not registered inherits'), async () => {
    const kept = { json: '{"message":"hello"}', truncated: false, length: 19 };
    expect(await Promise.all([retained(true, undefined), retained(true, null), retained(false, true)])).toEqual([kept, kept, kept]);
    expect(await Promise.all([retained(false, undefined), retained(false, null), retained(true, false)])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
