import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@agentstration/local-servers';
import type { DeadLetter, ToolResult } from '@agentstration/contracts';
import type { ExecutorProcess } from '../support/system/executor-process.ts';
import { GovernanceSystem } from '../support/system/governance-system.ts';
import { type Requester, request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';

describe('the executor with real parts', () => {
  let system: GovernanceSystem;
  let requester: Requester;
  let executor: ExecutorProcess;

  beforeAll(async () => {
    system = await GovernanceSystem.start({ tools: { ok: {}, slow: {}, hang: {}, big: {}, 'is-error': {} } });
    requester = await system.requester();
    executor = await system.startExecutor({ Agentstration__ToolExecution__MaximumConcurrencyPerWorkspace: '2' });
  }, 60_000);
  afterAll(() => system.stop());

  const callsOf = async (message: string) => (await system.oracle()).filter((entry) => entry.arguments?.message === message);

  it(verifies(['REQ-001', 'GATE-001'], 'answers a durable request, and the queue is empty again'), async () => {
    const asked = request('call-1', 'ok', { arguments: { message: 'one' } });
    await requester.publish(asked);
    expect(await requester.result(asked)).toMatchObject({
      outcome: 'Succeeded',
      attempt: 1,
      result: { structuredContent: { message: 'one' } },
    });
    expect(await requester.story('call-1')).toBe('Started Governance Completed');
    await eventually(async () => expect(await requester.queued()).toBe(0), { within: 5_000 });
  });

  it(verifies('REQ-007', 'answers a caller that waits, also when its request is malformed'), async () => {
    expect(await requester.call(request('call-2', 'ok'))).toMatchObject({ outcome: 'Succeeded' });
    expect(await requester.call({ toolCallId: 'x' })).toMatchObject({ failure: { kind: 'Rejected', code: 'request_malformed' } });
  });

  it(verifies('REQ-006', 'never answers outside of the inboxes of the request’s own Workspace'), async () => {
    const inboxes = [
      `_INBOX.${system.nats.pid}.other.1`,
      'agentstration.journal.v1.acme.support.runtime.run-1.forged',
      '_INBOX.acme.other.1',
    ];
    const heard: string[] = [];
    for (const inbox of inboxes) requester.connection.subscribe(inbox, { callback: (_error, message) => void heard.push(message.subject) });
    for (const reply of inboxes)
      requester.connection.publish('agentstration.tools.v1.acme.support.call', JSON.stringify(request('call-3', 'ok')), { reply });
    // The same path answers a legal caller after them, so they would have been answered by now.
    await requester.call(request('call-4', 'ok'));
    expect(heard).toEqual([]);
    expect(await requester.story('call-3')).toBe('');
    const metrics = await (await fetch(`${executor.origin}/metrics`)).text();
    expect(metrics).toContain('agentstration_calls_unanswered_total{reason="foreign_reply_subject"} 3');
    expect(executor.process.output().match(/a call is dropped: its reply subject is not below the inbox prefix/g)).toHaveLength(1);
  });

  it(verifies('CALL-006', 'refuses another tool under a known toolCallId to whoever asked, and calls nothing'), async () => {
    const good = request('taken', 'ok', { arguments: { message: 'taken' } });
    await requester.publish(good);
    expect(await requester.result(good)).toMatchObject({ outcome: 'Succeeded' });
    const refused = { outcome: 'Failed', failure: { kind: 'Rejected', code: 'tool_call_mismatch' } };
    expect(await requester.call({ ...good, agentId: 'another', requestId: 'by-call' })).toMatchObject(refused);
    await requester.publish({ ...good, toolId: 'test.slow', requestId: 'durable' });
    const accept = ({ requestId }: ToolResult) => requestId === 'durable';
    expect(await requester.result(good, { accept })).toMatchObject(refused);
    expect(await requester.story('taken')).toBe('Started Governance Completed');
  });

  it(verifies(['REQ-002', 'REQ-003'], 'turns poison into dead letters without arguments, and the queue goes on'), async () => {
    const secret = 'do-not-keep';
    const poison = [
      '',
      'not json',
      '[]',
      '{"toolCallId":1}',
      JSON.stringify({ ...request('poison', 'ok'), unknown: secret }),
      JSON.stringify(request('deep', 'ok', { arguments: { [secret]: JSON.parse('['.repeat(90) + ']'.repeat(90)) as unknown } })),
      Buffer.from([0xff, 0xfe]),
    ];
    for (const message of poison) await requester.publish(message);
    const last = request('after-poison', 'ok');
    await requester.publish(last);
    expect(await requester.result(last)).toMatchObject({ outcome: 'Succeeded' });
    expect(await requester.result(request('poison', 'ok'))).toMatchObject({ failure: { kind: 'Rejected', code: 'request_malformed' } });
    expect(await requester.result(request('deep', 'ok'))).toMatchObject({
      failure: { kind: 'Rejected', code: 'request_malformed', message: 'Nesting is deeper than 64 inside /arguments' },
    });
    const letter = await requester.lastDeadLetter<DeadLetter>();
    expect(letter).toMatchObject({ reason: 'The text is not UTF-8 at the top of the document', size: 2 });
    expect(JSON.stringify(letter)).not.toContain(secret);
    await eventually(async () => expect(await requester.queued()).toBe(0));
  });

  it(verifies('REQ-004', 'calls a tool that takes three times the acknowledgement wait once'), async () => {
    const asked = request('call-slow', 'slow', { arguments: { ms: 3_200, message: 'slow' } });
    await requester.publish(asked);
    expect(await requester.result(asked)).toMatchObject({ outcome: 'Succeeded', attempt: 1 });
    expect(await callsOf('slow')).toHaveLength(1);
  });

  it(verifies('REQ-005', 'tells a result that the broker cannot carry as too large'), async () => {
    const asked = request('call-big', 'big', { arguments: { bytes: 2_000_000 } });
    await requester.publish(asked);
    expect(await requester.result(asked)).toMatchObject({ outcome: 'Succeeded', result: null, resultOmitted: 'too_large' });
    expect(await requester.story('call-big')).toBe('Started Governance Completed');
  });

  it(verifies('CALL-014', 'cancels a running call: its outcome is unknown'), async () => {
    const asked = request('call-cancelled', 'hang', { arguments: { message: 'cancel' } });
    await requester.publish(asked);
    await eventually(async () => expect(await callsOf('cancel')).toHaveLength(1), { within: 5_000 });
    requester.cancel({ ...asked.run, toolCallId: asked.toolCallId });
    expect(await requester.result(asked)).toMatchObject({ outcome: 'Unknown', failure: { kind: 'Cancelled' } });
  });

  it(verifies('REQ-008', 'lets a Workspace take its share, and serves the others meanwhile'), async () => {
    const other = await system.requester({ tenantId: 'acme', workspaceId: 'other' });
    const slow = Array.from({ length: 5 }, (_, index) => request(`share-${index}`, 'slow', { arguments: { ms: 700 } }));
    for (const asked of slow) await requester.publish(asked);
    const theirs = request('theirs', 'ok');
    await other.publish(theirs);
    expect(await other.result(theirs)).toMatchObject({ failure: { code: 'tool_not_found' } });
    expect(await requester.queued()).toBeGreaterThanOrEqual(3);
    for (const asked of slow) expect(await requester.result(asked)).toMatchObject({ outcome: 'Succeeded', attempt: 1 });
  });
});

describe('an executor that is killed', () => {
  let system: GovernanceSystem;
  let requester: Requester;

  beforeAll(async () => {
    system = await GovernanceSystem.start({ tools: { slow: { delivery: 'AtLeastOnce' }, hang: { delivery: 'AtMostOnce' } } });
    requester = await system.requester();
  }, 60_000);
  afterAll(() => system.stop());

  it(
    verifies('CALL-017', 'between gate and outcome: AtLeastOnce is attempted again, AtMostOnce never'),
    async () => {
      const first = await system.startExecutor();
      const again = request('again', 'slow', { arguments: { ms: 1_500 } });
      const never = request('never', 'hang');
      await requester.publish(again);
      await requester.publish(never);
      await eventually(async () => expect(await system.oracle()).toHaveLength(2), { within: 10_000 });
      await first.process.kill('SIGKILL');
      const second = await system.startExecutor();
      expect(await requester.result(again)).toMatchObject({ outcome: 'Succeeded', attempt: 2 });
      expect(await requester.result(never)).toMatchObject({ outcome: 'Unknown', failure: { code: 'attempt_abandoned' } });
      expect(await requester.story('again')).toBe('Started Governance Failed:attempt_abandoned Started Governance Completed');
      expect(await requester.story('never')).toBe('Started Governance Failed:attempt_abandoned');
      const invocations = (await system.oracle()).filter(({ tool }) => tool === 'slow').length;
      expect(invocations).toBe(2);
      await second.process.stop();
    },
    40_000,
  );

  it(
    verifies('REQ-010', 'by SIGTERM drains: what runs is finished and told, and nothing is lost'),
    async () => {
      const draining = await system.startExecutor();
      const asked = request('drained', 'slow', { arguments: { ms: 1_200 } });
      const before = (await system.oracle()).length;
      await requester.publish(asked);
      await eventually(async () => expect((await system.oracle()).length).toBe(before + 1), { within: 10_000 });
      expect(await draining.process.stop({ within: 10_000 })).toMatchObject({ code: 0 });
      expect(await requester.result(asked)).toMatchObject({ outcome: 'Succeeded' });
      expect(await requester.story('drained')).toBe('Started Governance Completed');
    },
    40_000,
  );
});

describe('several executors', () => {
  it(
    verifies('CALL-016', 'call once for each request when nothing goes wrong'),
    async () => {
      const system = await GovernanceSystem.start();
      try {
        await Promise.all([system.startExecutor(), system.startExecutor()]);
        const requester = await system.requester();
        const asked = Array.from({ length: 40 }, (_, index) => request(`call-${index}`, 'ok', { arguments: { index } }));
        await Promise.all(asked.map((each) => requester.publish(each)));
        for (const each of asked) expect(await requester.result(each)).toMatchObject({ outcome: 'Succeeded', attempt: 1 });
        expect(await system.oracle()).toHaveLength(40);
      } finally {
        await system.stop();
      }
    },
    60_000,
  );
});
