import { ExecutorRig, catalogueEntry, denyRow, localHook, request } from '@agentstration/test/executor-rig';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import type { AppendFault } from '@agentstration/journal/in-memory';
import { executeToolCall } from './execute-tool-call.ts';

const redelivered = { redelivered: true };

/** Appends of one attempt, by index: 0 Started, 1 governance, 2 terminal. */
const faultAt = (index: number, fault: AppendFault) => ({ fault: (_: unknown, at: number) => (at === index ? fault : undefined) });

const keptClosed: AppendFault[] = [
  'timed_out_stored',
  'timed_out_not_stored',
  'timed_out_held',
  'duplicate',
  'duplicate_sequence_zero',
  'sequence_zero',
  'wrong_stream',
  'recreated',
  'journal_full',
  'too_large',
  'unavailable',
  'not_verified',
  'error',
];

describe('the publish of the governance fact', () => {
  it.each(keptClosed)(
    verifies(['GATE-001', 'GATE-002', 'GATE-004'], 'keeps the gate closed, and the attempt ends truthfully: %s'),
    async (fault) => {
      const rig = new ExecutorRig({ journal: faultAt(1, fault) });
      expect(await rig.deliver()).toEqual({ kind: 'again', delayMs: 1_000 });
      expect(rig.providers.invocations).toHaveLength(0);
      expect(rig.story).toMatch(/Failed:tool_execution_governance_unrecorded$/);
      rig.journal.landHeld();
      // A recreated stream has forgotten the attempt before.
      const attempt = fault === 'recreated' ? 1 : 2;
      expect(await rig.deliver(redelivered)).toMatchObject({ kind: 'finished', result: { outcome: 'Succeeded', attempt } });
      expect(rig.providers.invocations).toHaveLength(1);
    },
  );

  it.each<AppendFault>(['duplicate_stored', 'wrong_last_sequence_stored'])(
    verifies('GATE-005', 'opens the gate when the last message is byte for byte this fact: %s'),
    async (fault) => {
      const rig = new ExecutorRig({ journal: faultAt(1, fault) });
      expect(await rig.deliver()).toMatchObject({ result: { outcome: 'Succeeded' } });
      expect(rig.story).toBe('Started Governance Completed');
    },
  );

  it(verifies(['CALL-010', 'GATE-004'], 'that lost its fence ends the attempt without a call'), async () => {
    const rig: ExecutorRig = new ExecutorRig({ hooks: [localHook('slow', () => intrude(rig))] });
    const intrude = async (intruded: ExecutorRig) => {
      await intruded.parts.journal.append({ ...(await lateFact(intruded)), expectedLastSequence: 1 });
      return { decision: 'Allowed' };
    };
    expect(await rig.deliver()).toEqual({ kind: 'again', delayMs: 1_000 });
    expect(rig.providers.invocations).toHaveLength(0);
  });
});

/** An outcome of an older attempt that arrives now. */
async function lateFact(rig: ExecutorRig) {
  const other = new ExecutorRig();
  await other.deliver();
  const [, , completed] = other.journal.messages;
  const started = rig.journal.messages[0];
  if (!completed || !started) throw new Error('nothing was recorded');
  return { subject: started.subject, payload: completed.payload };
}

describe('Started', () => {
  it.each<AppendFault>(['timed_out_not_stored', 'journal_full', 'unavailable', 'not_verified', 'sequence_zero'])(
    verifies('CALL-008', 'that could not be recorded is no attempt, and the request waits: %s'),
    async (fault) => {
      const rig = new ExecutorRig({ journal: faultAt(0, fault) });
      expect(await rig.deliver()).toEqual({ kind: 'again', delayMs: 5_000 });
      expect(rig.story).toBe('');
      expect(await rig.deliver(redelivered)).toMatchObject({ result: { attempt: 1, outcome: 'Succeeded' } });
    },
  );
});

describe('the outcome', () => {
  it.each<AppendFault>(['timed_out_stored', 'timed_out_not_stored', 'duplicate', 'journal_full', 'error'])(
    verifies('CALL-009', 'is recorded once, whatever its publish came to: %s'),
    async (fault) => {
      const rig = new ExecutorRig({ journal: faultAt(2, fault) });
      expect(await rig.deliver()).toMatchObject({ result: { outcome: 'Succeeded' } });
      expect(rig.story).toBe('Started Governance Completed');
    },
  );

  it(verifies('CALL-009', 'of a made call is recorded even when another executor closed the attempt meanwhile'), async () => {
    const rig = new ExecutorRig();
    const other = { ...rig.parts, journal: rig.journal.anotherWriter() };
    rig.providers.script('echo', async () => {
      if (rig.providers.invocations.length > 1) return { kind: 'answered', result: {}, isError: false };
      const { executeToolCall } = await import('./execute-tool-call.ts');
      await executeToolCall(other, rig.delivery(redelivered));
      return { kind: 'answered', result: {}, isError: false };
    });
    expect(await rig.deliver()).toEqual({ kind: 'released' });
    expect(rig.story).toBe('Started Governance Failed:attempt_abandoned Started Governance Completed Completed');
    const late = rig.facts.at(-1)?.data as { invocationId?: string };
    expect(late.invocationId).toBe((rig.facts[0]?.data as { invocationId?: string }).invocationId);
  });

  it(verifies('CALL-009', 'is left for a later delivery only when the grace period has ended'), async () => {
    const rig = new ExecutorRig({ journal: { fault: (_, at) => (at >= 2 ? 'unavailable' : undefined) } });
    rig.parts.clock.sleep = () => (rig.grace.abort(), Promise.resolve());
    expect(await rig.deliver()).toEqual({ kind: 'released' });
  });
});

describe('an executor that died', () => {
  /** Facts of a first delivery up to the given number, as a killed executor leaves them. */
  const died = async (facts: number, delivery: 'AtLeastOnce' | 'AtMostOnce'): Promise<ExecutorRig> => {
    const before = new ExecutorRig();
    before.store.putTool(catalogueEntry({ definition: { delivery } }));
    await before.deliver();
    const rig = new ExecutorRig();
    rig.store.putTool(catalogueEntry({ definition: { delivery } }));
    before.journal.messages.slice(0, facts).forEach(({ sequence: _sequence, ...message }) => rig.journal.storeRaw(message));
    return rig;
  };

  it.each([
    ['before the governance fact', 1, 'AtLeastOnce', 'Started Failed:attempt_abandoned Started Governance Completed', 1, 'Failed'],
    ['before the governance fact', 1, 'AtMostOnce', 'Started Failed:attempt_abandoned Started Governance Completed', 1, 'Failed'],
    [
      'after the governance fact',
      2,
      'AtLeastOnce',
      'Started Governance Failed:attempt_abandoned Started Governance Completed',
      1,
      'Unknown',
    ],
    ['after the governance fact', 2, 'AtMostOnce', 'Started Governance Failed:attempt_abandoned', 0, 'Unknown'],
  ] as const)(verifies('CALL-004', '%s, %s facts, %s: %s'), async (_when, facts, delivery, story, calls, outcome) => {
    const rig = await died(facts, delivery);
    await rig.deliver(redelivered);
    expect(rig.story).toBe(story);
    expect(rig.providers.invocations).toHaveLength(calls);
    expect(rig.facts.find(({ data }) => 'errorCode' in data)?.data).toMatchObject({
      outcome,
      failureKind: 'Provider',
      errorCode: 'attempt_abandoned',
    });
  });

  it(verifies('CALL-003', 'after the terminal fact: the recorded outcome is told and nothing is executed'), async () => {
    const rig = await died(3, 'AtLeastOnce');
    expect(await rig.deliver(redelivered)).toMatchObject({
      kind: 'finished',
      result: { outcome: 'Succeeded', result: null, resultOmitted: 'lost' },
    });
    expect(rig.providers.invocations).toHaveLength(0);
  });

  it(verifies('CALL-004', 'recovery comes before the catalogue: a tool that is gone does not keep an attempt open'), async () => {
    const rig = await died(2, 'AtMostOnce');
    rig.store.putTool(catalogueEntry({ available: false }));
    expect(await rig.deliver(redelivered)).toMatchObject({ result: { outcome: 'Unknown', failure: { code: 'attempt_abandoned' } } });
  });
});

describe('several messages for one tool call', () => {
  it(verifies('CALL-005', 'wait while the open attempt is held by another queued message, same requestId or not'), async () => {
    for (const requestId of ['same', 'another']) {
      const rig = new ExecutorRig();
      rig.queued.add('queue:1');
      rig.providers.script('echo', async () => {
        expect(await rig.deliver({ queuePosition: 'queue:2', requestId })).toMatchObject({ kind: 'again' });
        return { kind: 'answered', result: {}, isError: false };
      });
      expect(await rig.deliver({ requestId: 'same' })).toMatchObject({ result: { outcome: 'Succeeded' } });
      expect(rig.providers.invocations).toHaveLength(1);
    }
  });

  it(verifies(['CALL-003', 'CALL-005'], 'with the same requestId replay, with another one are a retry of the caller'), async () => {
    const rig = new ExecutorRig();
    await rig.deliver({ requestId: 'one' });
    expect(await rig.deliver({ requestId: 'one', queuePosition: 'queue:2' })).toMatchObject({ result: { resultOmitted: 'lost' } });
    expect(await rig.deliver({ requestId: 'two', queuePosition: 'queue:3' })).toMatchObject({
      result: { attempt: 2, resultOmitted: null },
    });
    expect(rig.providers.invocations).toHaveLength(2);
  });

  it(verifies('CALL-006', 'of another tool or agent are rejected'), async () => {
    const rig = new ExecutorRig();
    await rig.deliver();
    expect(await rig.deliver({ queuePosition: 'queue:2', request: request({ agentId: 'other' }) })).toMatchObject({
      result: { invocationId: null, failure: { kind: 'Rejected', code: 'tool_call_mismatch' } },
    });
  });
});

describe('a provider failure', () => {
  const twice = { retry: { maxAttempts: 2, backoffMs: 700 } };
  it.each([
    ['not sent', { kind: 'not_sent', code: 'provider_unreachable' }, 'AtMostOnce', true],
    ['unknown', { kind: 'unknown', code: 'provider_timeout' }, 'AtMostOnce', false],
    ['unknown', { kind: 'unknown', code: 'provider_timeout' }, 'AtLeastOnce', true],
    ['refused', { kind: 'refused', code: 'provider_error' }, 'AtMostOnce', false],
  ] as const)(verifies('CALL-011', '%s is repeated only where that is safe and asked for'), async (_name, outcome, delivery, repeated) => {
    const rig = new ExecutorRig();
    rig.store.putTool(catalogueEntry({ definition: { delivery, ...twice } }));
    rig.providers.script('echo', outcome);
    expect(await rig.deliver()).toMatchObject(repeated ? { kind: 'again', delayMs: 700 } : { kind: 'finished' });
    if (repeated) expect(await rig.deliver(redelivered)).toMatchObject({ kind: 'finished', result: { attempt: 2 } });
    const none = new ExecutorRig();
    none.providers.script('echo', outcome);
    expect(await none.deliver()).toMatchObject({ kind: 'finished' });
  });
});

describe('the time limit of a call', () => {
  it.each([
    ['the request asks for less', 200, 60_000, 200],
    ['the tool allows less', 60_000, 300, 300],
    ['the request asks for none', undefined, 90_000, 60_000],
  ])(verifies('CALL-021', 'is the smaller of both: %s'), async (_which, timeoutMs, ofTool, expected) => {
    const given: number[] = [];
    const rig = new ExecutorRig();
    rig.store.putTool(catalogueEntry({ definition: { timeoutMs: ofTool } }));
    const { providers } = rig;
    const watched = Object.assign(Object.create(providers) as typeof providers, {
      call: (...[permit, call]: Parameters<typeof providers.call>) => {
        given.push(call.timeoutMs);
        return providers.call(permit, call);
      },
    });
    const asked = request(timeoutMs === undefined ? {} : { timeoutMs });
    await executeToolCall({ ...rig.parts, providers: watched }, rig.delivery({ request: asked }));
    expect(given).toEqual([expected]);
  });
});

describe('a refusal', () => {
  it.each([
    ['of a hook', (rig: ExecutorRig) => void rig.store.putHook(denyRow()), 'Failed:blocked'],
    ['of the catalogue', (rig: ExecutorRig) => void rig.store.putTool(catalogueEntry({ available: false })), 'Failed:tool_unavailable'],
  ])(verifies('CALL-022', 'is final: the Request is told it again and not attempted again, %s'), async (_whose, refuse, end) => {
    const rig = new ExecutorRig();
    refuse(rig);
    const first = await rig.deliver();
    expect(rig.facts.at(-1)?.data).toMatchObject({ final: true });
    rig.store.putTool(catalogueEntry());
    expect(await rig.deliver(redelivered)).toMatchObject({ kind: 'finished', result: { resultOmitted: 'lost', attempt: 1 } });
    expect(first).toMatchObject({ kind: 'finished' });
    expect(rig.story).toBe(`Started Governance ${end}`);
  });
});
