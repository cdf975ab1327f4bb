import type { OwnerKind, ToolRequest } from '@agentstration/contracts';
import { eventually } from '@agentstration/local-servers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';
import { type Governed, startGoverned } from './executor-rig.ts';

let governed: Governed;
beforeAll(async () => void (governed = await startGoverned({ tools: { ok: {}, slow: { delivery: 'AtLeastOnce' } } })), 60_000);
afterAll(() => governed?.stop());

const denied = { outcome: 'Denied', failure: { kind: 'Denied', code: 'blocked', message: 'Not here.' } };
const executed = async (agentId: string): Promise<number> =>
  (await governed.oracle()).filter((entry) => entry.arguments?.['agent'] === agentId).length;

describe.each<OwnerKind>(['RuntimeRun', 'FlowRun'])('the same hook holds for a %s', (ownerKind) => {
  /** A request of an agent of its own, so that a hook can mean it alone. */
  const asked = (way: string, tool = 'ok', own: Partial<ToolRequest> = {}): ToolRequest => {
    const agentId = `${way}-${ownerKind}`;
    return request(`${way}-call`, tool, {
      run: { ownerKind, runId: `run-${ownerKind}-${way}` },
      agentId,
      arguments: { agent: agentId, ms: 800 },
      ...own,
    });
  };
  const story = async (way: string): Promise<string> => {
    const entries = (await governed.requester.journal()).filter(({ subject }) => subject.includes(`.run-${ownerKind}-${way}.`));
    return entries.map(({ fact }) => ('errorCode' in fact.data ? fact.data.errorCode : fact.type.split('.')[2])).join(' ');
  };
  const deniedStory = 'ToolExecutionStarted ToolExecutionGovernanceEvaluated blocked';

  it(verifies('HOOK-011', 'on a durable request'), async () => {
    const durable = asked('durable');
    await governed.guard(durable.agentId);
    await governed.requester.publish(durable);
    expect(await governed.requester.result(durable)).toMatchObject(denied);
    expect(await story('durable')).toBe(deniedStory);
    expect(await executed(durable.agentId)).toBe(0);
  });

  it(verifies('HOOK-011', 'on call'), async () => {
    const called = asked('called');
    await governed.guard(called.agentId);
    expect(await governed.requester.call(called)).toMatchObject(denied);
    expect(await story('called')).toBe(deniedStory);
    expect(await executed(called.agentId)).toBe(0);
  });

  it(verifies('HOOK-011', 'on the caller’s retry of a call that it let through before'), async () => {
    const retried = asked('retried');
    expect(await governed.requester.call(retried)).toMatchObject({ outcome: 'Succeeded' });
    await governed.guard(retried.agentId);
    expect(await governed.requester.call({ ...retried, requestId: `again-${ownerKind}` })).toMatchObject({ ...denied, attempt: 2 });
    expect(await executed(retried.agentId)).toBe(1);
  });

  it(verifies('HOOK-011', 'behind an AEP mapping'), async () => {
    const mapped = asked('mapped', 'ok', { toolId: 'extended.ok' });
    expect(await governed.requester.call(mapped)).toMatchObject({ outcome: 'Succeeded' });
    await governed.guard(mapped.agentId);
    expect(await governed.requester.call({ ...mapped, toolCallId: 'next' })).toMatchObject(denied);
    expect(await executed(mapped.agentId)).toBe(1);
  });

  it(
    verifies('HOOK-011', 'on the redelivery after an executor was killed'),
    async () => {
      const redelivered = asked('redelivered', 'slow', { arguments: { agent: `redelivered-${ownerKind}`, ms: 20_000 } });
      await governed.requester.publish(redelivered);
      await eventually(async () => expect(await executed(redelivered.agentId)).toBe(1), { within: 5_000 });
      await governed.guard(redelivered.agentId);
      await governed.killExecutors();
      await governed.startExecutor();
      expect(await governed.requester.result(redelivered)).toMatchObject({ ...denied, attempt: 2 });
      expect(await executed(redelivered.agentId)).toBe(1);
      expect(await story('redelivered')).toBe(`ToolExecutionStarted ToolExecutionGovernanceEvaluated attempt_abandoned ${deniedStory}`);
    },
    40_000,
  );
});

describe('the same hook holds for a manual Run', () => {
  const order = (agentId: string) => ({ agentId, toolCalls: [{ toolId: 'test.ok', arguments: { agent: agentId } }] });
  const result = (runId: string) => governed.requester.result({ run: { ownerKind: 'RuntimeRun', runId }, toolCallId: 'call-1' });

  it(verifies('HOOK-011', 'and for its retry'), async () => {
    const agentId = 'manual';
    const { body: first } = await governed.call('POST', '/api/runs', { body: order(agentId) });
    expect(await result(first.runId)).toMatchObject({ outcome: 'Succeeded' });
    await governed.guard(agentId);
    const { body: second } = await governed.call('POST', '/api/runs', { body: order(agentId) });
    expect(await result(second.runId)).toMatchObject(denied);
    const again = { toolCalls: [{ arguments: { agent: agentId } }] };
    const { body: third, status } = await governed.call('POST', `/api/runs/runtime/${first.runId}/retry`, { body: again });
    expect(status).toBe(202);
    expect(await result(third.runId)).toMatchObject(denied);
    expect(await executed(agentId)).toBe(1);
  });
});
