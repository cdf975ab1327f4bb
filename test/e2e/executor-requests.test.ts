import { requestSubject, streams } from '@agentstration/contracts';
import { eventually } from '@agentstration/local-servers';
import { loadConfiguration } from '@agentstration/service-kit';
import { provision } from '@agentstration/tool-executor';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { GovernanceSystem, workspace } from '../support/system/governance-system.ts';
import { type Requester, request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';

let system: GovernanceSystem;
let requester: Requester;
beforeAll(async () => {
  system = await GovernanceSystem.start({
    tools: { ok: {}, slow: {} },
    environment: { Agentstration__Requests__MaximumPerWorkspace: '5' },
  });
  requester = await system.requester();
  await system.startExecutor({ Agentstration__ToolExecution__MaximumConcurrencyPerWorkspace: '2' });
}, 60_000);
afterAll(() => system?.stop());

const executed = async (mark: string): Promise<number> =>
  (await system.oracle()).filter(({ arguments: given }) => given?.['mark'] === mark).length;
const queueEmpty = () => eventually(async () => expect(await requester.queued()).toBe(0), { within: 10_000 });

describe('one tool call that is asked for more than once', () => {
  it(verifies(['CALL-003', 'CALL-005', 'CALL-019'], 'with one requestId at once, from two connections: is executed once'), async () => {
    const second = await system.requester();
    const asked = request('twice', 'slow', { requestId: 'r-1', arguments: { ms: 400, mark: 'twice' } });
    await Promise.all([requester.publish(asked), second.publish(asked)]);
    expect(await requester.result(asked)).toMatchObject({ outcome: 'Succeeded', attempt: 1, resultOmitted: null });
    await queueEmpty();
    // The replay of the outcome has not taken the place of the result.
    expect(await requester.result(asked)).toMatchObject({ resultOmitted: null });
    expect([await executed('twice'), await requester.story('twice')]).toEqual([1, 'Started Governance Completed']);
  });

  it(verifies(['CALL-003', 'CALL-019'], 'with its requestId after the end: tells the recorded outcome'), async () => {
    const asked = request('later', 'ok', { requestId: 'r-2', arguments: { mark: 'later' } });
    await requester.call(asked);
    expect(await requester.call(asked)).toMatchObject({ outcome: 'Succeeded', result: null, resultOmitted: 'lost', attempt: 1 });
    expect(await executed('later')).toBe(1);
  });

  it(verifies('CALL-019', 'with another requestId, or none: is the caller’s retry'), async () => {
    const asked = request('retried', 'ok', { requestId: 'r-3', arguments: { mark: 'retried' } });
    await requester.call(asked);
    expect(await requester.call({ ...asked, requestId: 'r-4' })).toMatchObject({ attempt: 2, resultOmitted: null });
    expect(await requester.call(request('retried', 'ok', { arguments: { mark: 'retried' } }))).toMatchObject({ attempt: 3 });
    expect(await executed('retried')).toBe(3);
  });

  it(verifies('CALL-019', 'with the ids of another Workspace’s call: is that Workspace’s own'), async () => {
    const asked = request('shared-ids', 'ok', { requestId: 'r-5', arguments: { mark: 'shared-ids' } });
    const other = await system.requester({ tenantId: 'acme', workspaceId: 'other' });
    expect(await other.call(asked)).toMatchObject({ attempt: 1, failure: { code: 'tool_not_found' } });
    expect(await requester.call(asked)).toMatchObject({ attempt: 1, outcome: 'Succeeded', resultOmitted: null });
  });
});

describe('a request', () => {
  it(verifies('REQ-014', 'continues the trace that its headers carry, into the facts; what is none is not continued'), async () => {
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const publish = (toolCallId: string, traceparent: string) => {
      const given = headers();
      given.set('traceparent', traceparent);
      return jetstream(requester.connection).publish(requestSubject(workspace), JSON.stringify(request(toolCallId, 'ok')), {
        headers: given,
      });
    };
    await publish('traced', `00-${trace}-b7ad6b7169203331-01`);
    await publish('untraced', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`);
    await Promise.all(['traced', 'untraced'].map((toolCallId) => requester.result(request(toolCallId, 'ok'))));
    const journal = await requester.journal();
    const spans = (toolCallId: string) => journal.filter(({ fact }) => fact.subject === toolCallId).map(({ fact }) => fact.traceparent);
    expect(spans('traced')).toHaveLength(3);
    for (const span of spans('traced')) expect(span).toMatch(new RegExp(`^00-${trace}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
    expect(new Set(spans('traced')).size).toBe(3);
    expect(spans('untraced')).toEqual([undefined, undefined, undefined]);
  });

  it(verifies(['REQ-007', 'REQ-015'], 'beyond what one Workspace may queue is refused at once, and the others go on'), async () => {
    await queueEmpty();
    const slow = Array.from({ length: 5 }, (_, index) => request(`full-${index}`, 'slow', { arguments: { ms: 1_000 } }));
    for (const asked of slow) await requester.publish(asked);
    await expect(requester.publish(request('one-more', 'ok'))).rejects.toThrow(/maximum messages per subject/);
    expect(await requester.call(request('one-more-call', 'ok'))).toMatchObject({
      outcome: 'Failed',
      failure: { kind: 'Rejected', code: 'request_not_accepted' },
    });
    const other = await system.requester({ tenantId: 'acme', workspaceId: 'other' });
    expect(await other.call(request('theirs', 'ok'))).toMatchObject({ failure: { code: 'tool_not_found' } });
    for (const asked of slow) expect(await requester.result(asked)).toMatchObject({ outcome: 'Succeeded' });
  });
});

describe('a queue that is made anew under a running executor', () => {
  it(verifies('CALL-019', 'counts from one again, and its requests are others'), async () => {
    await queueEmpty();
    const manager = await jetstreamManager(requester.connection, { checkAPI: false });
    const ask = async (toolCallId: string): Promise<number> => {
      const sequence = await requester.publish(request(toolCallId, 'ok', { arguments: { mark: toolCallId } }));
      await requester.result(request(toolCallId, 'ok'));
      return sequence;
    };
    const remake = async (): Promise<void> => {
      await manager.streams.delete(streams.requests);
      await provision(loadConfiguration({ environment: system.environment }));
    };
    await remake();
    expect(await ask('anew')).toBe(1);
    await queueEmpty();
    await remake();
    // The same place in the queue and the same Tool Call: a retry, not the Request that ended.
    expect(await requester.publish(request('anew', 'ok', { arguments: { mark: 'anew' } }))).toBe(1);
    expect(await requester.result(request('anew', 'ok'), { accept: ({ attempt }) => attempt === 2 })).toMatchObject({
      outcome: 'Succeeded',
    });
    expect(await executed('anew')).toBe(2);
  });
});
