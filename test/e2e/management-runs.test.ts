import { type DiscoverRequest, type ToolRequest, discoverSubject, streams, subjectFilters } from '@agentstration/contracts';
import { eventually } from '@agentstration/local-servers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { verifies } from '../support/verifies.ts';
import { type ManagementRig, provider, startManagement } from './management-rig.ts';

let rig: ManagementRig;
beforeAll(async () => void (rig = await startManagement()), 240_000);
afterAll(() => rig?.stop());

/** Every message of a stream about the run, as JSON. */
async function dump<Message>(stream: string, about: string): Promise<Message[]> {
  const manager = await jetstreamManager(rig.connection);
  const { state } = await manager.streams.info(stream);
  const found: Message[] = [];
  for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1) {
    const message = await manager.streams.getMessage(stream, { seq });
    if (message?.string().includes(about)) found.push(message.json<Message>());
  }
  return found;
}
const pointers = (answer: { body: { errors?: readonly { pointer: string }[] } }) => answer.body.errors?.map(({ pointer }) => pointer);

describe('runs', () => {
  it(verifies(['RUN-001', 'RUN-006', 'RUN-008'], 'a manual run is 202 and reaches journal and queue'), async () => {
    const order = {
      runId: 'functions.lookup:0',
      agentId: 'support',
      toolCalls: [{ toolId: 'crm.lookup', arguments: { ['__proto__']: 1, constructor: [], q: '\u0000😀' } }],
    };
    const created = await rig.call('POST', '/api/runs', { body: order });
    expect(created.status).toBe(202);
    expect(created.headers.get('location')).toBe('/api/runs/runtime/functions.lookup%3A0');
    expect(created.body).toMatchObject({
      ownerKind: 'RuntimeRun',
      status: 'Pending',
      principalId: 'ada',
      execution: { persistToolArguments: null },
    });
    expect(created.text).not.toContain('😀');

    const [request] = await eventually(async () => {
      const requests = await dump<ToolRequest>(streams.requests, order.runId);
      expect(requests).toHaveLength(1);
      return requests;
    });
    expect(request).toEqual({
      ...{ requestId: created.body.toolCalls[0]?.requestId, toolCallId: 'call-1', run: { ownerKind: 'RuntimeRun', runId: order.runId } },
      ...{ toolId: 'crm.lookup', agentId: 'support', principalId: 'ada', arguments: order.toolCalls[0]?.arguments },
    });
    expect(await dump(streams.journal, order.runId)).toMatchObject([{ type: 'io.agentstration.RunCreated.v1', subject: order.runId }]);
    const read = await rig.call('GET', '/api/runs/RUNTIMErun/functions.lookup%3A0');
    expect([read.status, read.body]).toEqual([200, created.body]);
    expect((await rig.call('POST', '/api/runs', { body: order })).body).toMatchObject({ status: 409, code: 'already_exists' });
    expect((await rig.call('GET', '/api/runs/flow/functions.lookup%3A0')).body).toMatchObject({ status: 404, code: 'run_not_found' });
    expect((await rig.call('GET', '/api/runs/runtime/functions.lookup%3A0', { workspace: 'other' })).status).toBe(404);
  });

  it(verifies(['RUN-002', 'RUN-005'], 'one executed elsewhere is registered, and cancelled once'), async () => {
    const body = { ownerKind: 'FlowRun', runId: 'flow-1', execution: { persistToolArguments: false } };
    expect((await rig.call('POST', '/api/runs', { body })).status).toBe(202);
    const cancels = rig.connection.subscribe(subjectFilters.cancels, { max: 1 });
    const cancelled = await rig.call('POST', '/api/runs/flow/flow-1/cancel', { principal: 'bob' });
    expect([cancelled.status, cancelled.body]).toEqual([202, expect.objectContaining({ status: 'Cancelled', cancelledBy: 'bob' })]);
    for await (const message of cancels) expect(message.json()).toEqual({ ownerKind: 'FlowRun', runId: 'flow-1' });
    expect((await rig.call('POST', '/api/runs/flow/flow-1/cancel', { principal: 'eve' })).body).toMatchObject({ cancelledBy: 'bob' });
    await eventually(async () =>
      expect((await dump<{ type: string }>(streams.journal, 'flow-1')).map(({ type }) => type)).toEqual([
        'io.agentstration.RunCreated.v1',
        'io.agentstration.RunCancelled.v1',
      ]),
    );
    expect((await rig.call('POST', '/api/runs/flow/nothing/cancel')).body).toMatchObject({ status: 404, code: 'run_not_found' });
    expect((await rig.call('POST', '/api/runs/flow/flow-1/retry')).body).toMatchObject({ status: 409, code: 'conflict' });
    expect((await rig.call('POST', '/api/runs/job/flow-1/retry')).body).toMatchObject({ status: 400, code: 'invalid_owner_kind' });
  });

  it(verifies(['RUN-003', 'RUN-004'], 'a retry needs arguments, and copies the options'), async () => {
    const body = {
      agentId: 'support',
      toolCalls: [{ toolId: 'a', arguments: { x: 1 } }, { toolId: 'b' }],
      execution: { persistToolArguments: true },
    };
    const { runId } = (await rig.call('POST', '/api/runs', { body })).body;
    const retry = (again?: object) => rig.call('POST', `/api/runs/runtime/${runId}/retry`, again === undefined ? {} : { body: again });
    expect((await retry()).body).toMatchObject({ status: 409, code: 'arguments_not_retained' });
    const again = await retry({ toolCalls: [{ arguments: { x: 2 } }, { arguments: {} }] });
    expect([again.status, again.body]).toEqual([
      202,
      expect.objectContaining({ retryOf: runId, execution: { persistToolArguments: true } }),
    ]);
    const requests = await eventually(async () => {
      const sent = await dump<ToolRequest>(streams.requests, again.body.runId);
      expect(sent).toHaveLength(2);
      return sent;
    });
    expect(requests.map((request) => [request.toolId, request.arguments])).toEqual([
      ['a', { x: 2 }],
      ['b', {}],
    ]);
    expect(pointers(await retry({ toolCalls: [{ arguments: [] }], y: 1 }))).toEqual(
      expect.arrayContaining(['/toolCalls/0/arguments', '/y']),
    );
  });

  it(verifies('RUN-010', 'what contradicts itself is 422 with every fault'), async () => {
    const wrong = {
      runId: '..',
      ownerKind: 'Job',
      agentId: 'a b',
      toolCalls: [{ toolId: '', arguments: [] }, 5],
      execution: { persistToolArguments: 'yes', x: 1 },
    };
    expect(new Set(pointers(await rig.call('POST', '/api/runs', { body: wrong })))).toEqual(
      new Set([
        '/runId',
        '/ownerKind',
        '/agentId',
        '/toolCalls/0/toolId',
        '/toolCalls/0/arguments',
        '/toolCalls/1',
        '/execution/persistToolArguments',
        '/execution/x',
      ]),
    );
    for (const nothing of [{}, { toolCalls: [] }, { agentId: 'a', toolCalls: null }])
      expect((await rig.call('POST', '/api/runs', { body: nothing })).status).toBe(422);
    const large = { agentId: 'a', toolCalls: [{ toolId: 't', arguments: { a: 'x'.repeat(1024 * 1024 - 200) } }] };
    expect(pointers(await rig.call('POST', '/api/runs', { body: large }))).toEqual(['/toolCalls/0/arguments']);
  });

  it(verifies('RUN-001', 'are listed newest first, by pages'), async () => {
    const workspace = 'listed';
    for (const runId of ['one', 'two', 'three']) await rig.call('POST', '/api/runs', { body: { ownerKind: 'FlowRun', runId }, workspace });
    const first = await rig.call('GET', '/api/runs?limit=2', { workspace });
    const second = await rig.call('GET', `/api/runs?limit=2&continue=${first.body.continue}`, { workspace });
    expect([...first.body.items, ...second.body.items].map(({ runId }) => runId)).toEqual(['three', 'two', 'one']);
    expect(second.body.continue).toBeNull();
  });
});

describe('discovery', () => {
  const refresh = (name: string) => rig.call('POST', `/api/toolproviders/${name}/refresh`);
  /** Stands in for the executor: answers what the test says, and remembers what it was asked. */
  async function executor(answer: () => unknown): Promise<{ asked: DiscoverRequest[]; end: () => void }> {
    const asked: DiscoverRequest[] = [];
    const subscription = rig.connection.subscribe(discoverSubject({ tenantId: 'acme', workspaceId: 'demo' }), {
      callback: (_error, message) => {
        asked.push(message.json<DiscoverRequest>());
        message.respond(JSON.stringify(answer()));
      },
    });
    // The broker knows of the subscription before anybody asks.
    await rig.connection.flush();
    return { asked, end: () => subscription.unsubscribe() };
  }
  const tool = (externalName: string, description = '') => ({ externalName, description, inputSchema: { type: 'object' } });

  it(verifies('DISC-003', 'without an executor is 503 with Retry-After'), async () => {
    await rig.call('POST', '/api/toolproviders', { body: provider('lonely') });
    const answer = await refresh('lonely');
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([503, 'unavailable', '5']);
    expect((await refresh('nothing')).status).toBe(404);
  });

  it(verifies(['DISC-001', 'DISC-005'], 'new ones start disabled, settings stay, what vanishes is unavailable and returns'), async () => {
    await rig.call('POST', '/api/toolproviders', { body: provider('everything') });
    let offered = [tool('echo'), tool('add'), tool('read file')];
    const { asked, end } = await executor(() => ({ tools: offered }));
    expect((await refresh('everything')).body).toEqual({ new: 3, changed: 0, unchanged: 0, unavailable: 0, refused: [] });
    expect(asked).toMatchObject([{ providerId: 'everything', generation: 1, definition: { providerType: 'mcp' } }]);
    const list = await rig.call('GET', '/api/tools');
    expect(list.body.items.map(({ metadata }) => metadata.name)).toEqual([
      'everything.add',
      'everything.echo',
      expect.stringMatching(/^everything\.read-file-[0-9a-f]{8}$/),
    ]);
    const echo = await rig.call('GET', '/api/tools/everything.echo');
    expect(echo.body).toMatchObject({
      definition: { enabled: false, delivery: 'AtLeastOnce', timeoutMs: 60_000, retry: { maxAttempts: 1, backoffMs: 1000 } },
      status: { providerId: 'everything', externalName: 'echo', available: true, inputSchema: { type: 'object' } },
    });
    const enabled = await rig.call('PATCH', '/api/tools/everything.echo', {
      body: { definition: { enabled: true } },
      headers: { 'If-Match': echo.etag },
    });
    expect(enabled.body).toMatchObject({ definition: { enabled: true }, metadata: { generation: 2 } });

    offered = [tool('add', 'now described')];
    expect((await refresh('everything')).body).toEqual({ new: 0, changed: 1, unchanged: 0, unavailable: 2, refused: [] });
    expect((await rig.call('GET', '/api/tools/everything.echo')).body).toMatchObject({
      definition: { enabled: true },
      status: { available: false },
    });
    offered = [tool('add', 'now described'), tool('echo')];
    await refresh('everything');
    expect((await rig.call('GET', '/api/tools/everything.echo')).body).toMatchObject({
      definition: { enabled: true },
      status: { available: true },
    });
    end();
  });

  it(verifies('DISC-002', 'a failure is 502, and the provider says so until it is well again'), async () => {
    await rig.call('POST', '/api/toolproviders', { body: provider('sick') });
    let reply: unknown = { error: { code: 'provider_unreachable', message: 'The provider cannot be reached' } };
    const { end } = await executor(() => reply);
    expect((await refresh('sick')).body).toMatchObject({ status: 502, code: 'provider_failed' });
    expect((await rig.call('GET', '/api/toolproviders/sick')).body.status).toMatchObject({
      ...{ lastErrorCode: 'provider_unreachable', conditions: [{ type: 'Ready', status: 'False', reason: 'provider_unreachable' }] },
    });
    reply = { tools: [] };
    expect((await refresh('sick')).status).toBe(200);
    const well = (await rig.call('GET', '/api/toolproviders/sick')).body.status;
    expect(well).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] });
    expect(well).not.toHaveProperty('lastErrorCode');
    reply = 'nonsense';
    expect((await refresh('sick')).status).toBe(503);
    end();
  });

  it(verifies('DISC-004', 'a disabled provider is 409'), async () => {
    await rig.call('POST', '/api/toolproviders', { body: provider('off', { enabled: false }) });
    expect((await refresh('off')).body).toMatchObject({ status: 409, code: 'conflict' });
  });
});
