import { type Fact, streams } from '@agentstration/contracts';
import { GovernanceProjectorModule } from '@agentstration/governance-projector';
import { eventually } from '@agentstration/local-servers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { attemptFacts, denies, journalSubject } from '../support/facts.ts';
import { verifies } from '../support/verifies.ts';
import { type ManagementRig, startManagement } from './management-rig.ts';

let rig: ManagementRig;
beforeAll(
  async () => void (rig = await startManagement({}, (configuration) => [GovernanceProjectorModule.register(configuration)])),
  240_000,
);
afterAll(() => rig?.stop());

/** As an executor would record them. */
async function record(...facts: Fact[]): Promise<void> {
  for (const fact of facts) {
    const subject = journalSubject({ tenantId: 'acme', workspaceId: 'demo' }, fact);
    await jetstream(rig.connection).publish(subject, JSON.stringify(fact), { expect: { streamName: streams.journal } });
  }
}
const order = async (calls: number, more: object = {}) => {
  const toolCalls = Array.from({ length: calls }, (_, index) => ({ toolId: 'everything.echo', arguments: { n: index, secret: 'CANARY' } }));
  const { body } = await rig.call('POST', '/api/runs', { body: { agentId: 'support-agent', toolCalls, ...more } });
  const facts = body.toolCalls.map(({ toolCallId, requestId }) => attemptFacts({ runId: body.runId, toolCallId, requestId }));
  return { path: `/api/runs/runtime/${body.runId}`, runId: body.runId, facts };
};
const status = (path: string, expected: unknown) =>
  eventually(async () => expect((await rig.call('GET', path)).body).toMatchObject(expected as object));
const retained = (n: number) => ({ arguments: { json: `{"n":${n},"secret":"CANARY"}`, truncated: false, length: 25 } });

describe('the status of a run', () => {
  it(verifies('RUN-006', 'follows the facts of its calls'), async () => {
    const { path, facts } = await order(2);
    const [first, second] = facts as [(typeof facts)[number], (typeof facts)[number]];
    await status(path, { status: 'Pending', toolCalls: [{ state: 'Pending' }, { state: 'Pending' }] });
    await record(first.started(), first.evaluated());
    await status(path, {
      status: 'Running',
      toolCalls: [
        { state: 'Running', attempts: 1 },
        { state: 'Pending', attempts: 0 },
      ],
    });
    await record(first.completed(), second.started(), second.evaluated([denies('block')]));
    await record(second.failed({ failureKind: 'Denied', outcome: 'Denied', errorCode: 'denied', errorType: 'HookDenied' }));
    await status(path, { status: 'Failed', toolCalls: [{ state: 'Succeeded' }, { state: 'Denied' }] });
    const { body } = await rig.call('GET', '/api/runs');
    expect(body.items[0]).toMatchObject({ status: 'Failed' });
  });

  it(verifies('RUN-011', 'stays what it is where a cancellation comes too late'), async () => {
    const { path, facts } = await order(1);
    for (const attempt of facts) await record(attempt.started(), attempt.evaluated(), attempt.completed());
    await status(path, { status: 'Succeeded' });
    expect((await rig.call('POST', `${path}/cancel`)).body).toMatchObject({ status: 409, code: 'conflict' });
    expect((await rig.call('GET', path)).body).toMatchObject({ status: 'Succeeded', cancelledAt: null, cancelledBy: null });
  });

  it(verifies(['RUN-003', 'RUN-004'], 'a retry takes what the journal retained whole'), async () => {
    const { path, runId, facts } = await order(2, { execution: { persistToolArguments: true } });
    for (const [index, attempt] of facts.entries())
      await record(attempt.started(), attempt.evaluated([], retained(index)), attempt.completed());
    await status(path, { status: 'Succeeded' });
    const again = await rig.call('POST', `${path}/retry`);
    expect([again.status, again.body]).toEqual([
      202,
      expect.objectContaining({ retryOf: runId, execution: { persistToolArguments: true } }),
    ]);
    expect(again.text).not.toContain('CANARY');
    const manager = await jetstreamManager(rig.connection);
    const last = await eventually(async () => {
      const message = await manager.streams.getMessage(streams.requests, { last_by_subj: 'agentstration.tools.v1.acme.demo.request' });
      expect(message?.json()).toMatchObject({ run: { runId: again.body.runId }, toolCallId: 'call-2' });
      return message?.json();
    });
    expect(last).toMatchObject({ arguments: { n: 1, secret: 'CANARY' } });
  });

  it(verifies('RUN-004', 'and not what was cut'), async () => {
    const { path, facts } = await order(1);
    for (const attempt of facts) {
      const cut = { arguments: { json: '{"n":\n… [truncated]', truncated: true, length: 90 } };
      await record(attempt.started(), attempt.evaluated([], cut), attempt.completed());
    }
    await status(path, { status: 'Succeeded' });
    expect((await rig.call('POST', `${path}/retry`)).body).toMatchObject({ status: 409, code: 'arguments_not_retained' });
  });

  it(verifies('RUN-005', 'one that nobody registered can be cancelled once it has facts'), async () => {
    const attempt = attemptFacts({ ownerKind: 'FlowRun', runId: 'unregistered' });
    expect((await rig.call('POST', '/api/runs/flow/unregistered/cancel')).status).toBe(404);
    await record(attempt.started());
    await eventually(async () => expect((await rig.call('POST', '/api/runs/flow/unregistered/cancel')).status).toBe(202));
    expect((await rig.call('GET', '/api/runs/flow/unregistered')).body).toMatchObject({
      status: 'Cancelled',
      agentId: 'support-agent',
      toolCalls: [],
      cancelledBy: 'ada',
    });
    expect((await rig.call('POST', '/api/runs/flow/unregistered/cancel', { workspace: 'other' })).status).toBe(404);
  });
});
