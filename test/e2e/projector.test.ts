import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PostgresRunStore, closeDataSource, createDataSource } from '@agentstration/store';
import { abandoned, allows, attemptFacts, denies, managed, runFact } from '../support/facts.ts';
import { verifies } from '../support/verifies.ts';
import { type ProjectorRig, demo, neighbour, startProjectorRig } from './projector-rig.ts';

let rig: ProjectorRig;
let newest: number;
const secret = '{"message":"top \\u0000 secret \u{1F600}"}';

beforeAll(async () => {
  rig = await startProjectorRig();
  const first = attemptFacts({ invocationId: 'first', correlationId: 'correlation-1' });
  const second = attemptFacts({ invocationId: 'second', attempt: 2 });
  const denied = attemptFacts({ toolCallId: 'functions.lookup:0', invocationId: 'third', toolId: 'crm.lookup', agentId: 'other-agent' });
  await rig.publish(
    demo,
    runFact('RunCreated'),
    first.started(),
    first.evaluated([allows('local'), managed('block', 3)]),
    first.failed(abandoned),
  );
  await rig.publish(
    demo,
    second.started(),
    second.evaluated([], { arguments: { json: secret, truncated: true, length: 99 } }),
    second.completed(),
  );
  await rig.publish(demo, denied.started(), denied.evaluated([denies('local', 'blocked')]));
  await rig.publishRaw('agentstration.journal.v1.acme.demo.runtime.run-42.call_9', '{"type":"io.agentstration.ToolExecutionStarted.v9"}');
  newest = await rig.publish(neighbour, first.started(), first.evaluated([managed('secret-hook', 1)]), first.completed());
}, 60_000);
afterAll(() => rig?.stop());

const path = '/api/tool-governance/runtime/run-42';
const read = (query = '', reader = {}) => rig.get(`${path}?waitFor=${newest}${query}`, reader);
const sequences = (answer: { body: { items: readonly Record<string, unknown>[] } }) => answer.body.items.map(({ sequence }) => sequence);

describe('the governance records of a Run', () => {
  it(verifies(['READ-001', 'READ-007', 'PROJ-001'], 'are those of the contract, with the position they reflect'), async () => {
    const answer = await read();
    expect([answer.status, answer.headers.get('agentstration-projected-sequence')]).toEqual([200, String(newest)]);
    expect(Object.keys(answer.body)).toEqual(['items', 'nextSequence']);
    expect(answer.body.nextSequence).toBeNull();
    expect(answer.body.items[0]).toEqual({
      ...{ ownerKind: 'RuntimeRun', runId: 'run-42', sequence: 3, workspaceSequence: 3, timestamp: '2026-12-01T00:00:00.000Z' },
      ...{ toolCallId: 'call_9', invocationId: 'first', attempt: 1, toolId: 'everything.echo', toolName: 'echo', providerId: 'everything' },
      ...{ externalToolId: 'echo', agentId: 'support-agent', correlationId: 'correlation-1', arguments: null, argumentsRetained: false },
      ...{ argumentsTruncated: false, decision: 'Allowed', outcome: 'Unknown', evaluations: [allows('local'), managed('block', 3)] },
    });
    expect(answer.body.items.slice(1)).toMatchObject([
      {
        sequence: 6,
        decision: 'Allowed',
        outcome: 'Succeeded',
        evaluations: [],
        arguments: secret,
        argumentsRetained: true,
        argumentsTruncated: true,
      },
      { sequence: 9, decision: 'Denied', outcome: null, evaluations: [denies('local', 'blocked')] },
    ]);
  });

  it(verifies('READ-001', 'come in pages of the asked size, each once'), async () => {
    const first = await read('&limit=2');
    expect([sequences(first), first.body.nextSequence]).toEqual([[3, 6], 6]);
    const second = await read('&limit=2&afterSequence=6');
    expect([sequences(second), second.body.nextSequence]).toEqual([[9], null]);
    expect(sequences(await read('&afterSequence=9'))).toEqual([]);
  });

  it.each([
    ['toolCallId=call_9', [3, 6]],
    ['toolCallId=functions.lookup:0', [9]],
    ['invocationId=second', [6]],
    ['toolId=crm.lookup', [9]],
    ['toolId=CRM.lookup', []],
    ['hookId=local', [3, 9]],
    ['hookId=managed:default/block', [3]],
    ['hookId=default/block', [3]],
    ['resourceGeneration=3', [3]],
    ['resourceGeneration=2', []],
    ['decision=allowed', [3, 6]],
    ['decision=DENIED', [9]],
    ['decision=failed', []],
    ['hookId=local&resourceGeneration=3', []],
    ['hookId=local&decision=allowed', [3]],
    ['hookId=local&decision=denied&toolId=crm.lookup&toolCallId=functions.lookup:0&invocationId=third', [9]],
    ['hookId=secret-hook', []],
  ])(verifies(['READ-002', 'READ-005'], 'are filtered by %s'), async (query, expected) => {
    expect(sequences(await read(`&${query}`))).toEqual(expected);
  });

  it.each(['runtime', 'RUNTIME', 'RuntimeRun', 'runtimerun'])('are read of the owner kind %s', async (kind) => {
    expect((await rig.get(`/api/tool-governance/${kind}/run-42`)).body.items).toHaveLength(3);
  });

  it.each([
    ['/api/tool-governance/agent/run-42', 'invalid_owner_kind'],
    [`${path}?afterSequence=-1`, 'invalid_after_sequence'],
    [`${path}?afterSequence=1.5`, 'invalid_after_sequence'],
    [`${path}?afterSequence=99999999999999999`, 'invalid_after_sequence'],
    [`${path}?afterSequence=1&afterSequence=2`, 'invalid_after_sequence'],
    [`${path}?limit=0`, 'invalid_limit'],
    [`${path}?limit=201`, 'invalid_limit'],
    [`${path}?limit=`, 'invalid_limit'],
    [`${path}?resourceGeneration=0`, 'invalid_resource_generation'],
    [`${path}?resourceGeneration=x`, 'invalid_resource_generation'],
    [`${path}?decision=maybe`, 'invalid_decision'],
    [`${path}?tool=x`, 'invalid_parameter'],
    [`${path}?agentId=x`, 'invalid_parameter'],
    [`${path}?toolId=`, 'invalid_parameter'],
  ])(verifies('READ-003', '%s is 400 %s'), async (url, code) => {
    const answer = await rig.get(url);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  });

  it(verifies(['READ-004', 'READ-005'], 'of a Run of nobody, and of a neighbour, are the same 404'), async () => {
    const strip = ({ body, status, headers }: Awaited<ReturnType<typeof rig.get>>) => [
      status,
      { ...body, instance: '' },
      headers.get('agentstration-projected-sequence'),
    ];
    await rig.publish(neighbour, attemptFacts({ runId: 'private' }).started());
    await rig.get(`${path}?waitFor=${(newest += 1)}`);
    const [foreign, missing] = [
      await rig.get('/api/tool-governance/runtime/private'),
      await rig.get('/api/tool-governance/runtime/missing'),
    ];
    expect(missing).toMatchObject({ status: 404, body: { code: 'run_not_found' } });
    expect(strip(foreign)).toEqual(strip(missing));
    expect((await rig.get('/api/tool-governance/flow/run-42')).body.code).toBe('run_not_found');
    const theirs = await rig.get(path, { workspace: 'neighbour' });
    expect(theirs.body.items).toMatchObject([{ sequence: 2, workspaceSequence: 2, evaluations: [managed('secret-hook', 1)] }]);
    expect((await rig.get(path, { tenant: 'other' })).status).toBe(404);
  });

  it(verifies('READ-004', 'of a registered Run without facts are none'), async () => {
    const database = createDataSource({ url: rig.databaseUrl, role: 'api' });
    const registered = { ...demo, ownerKind: 'FlowRun', runId: 'registered' } as const;
    const run = { ...registered, agentId: null, principalId: 'ada', persistToolArguments: null, retryOf: null, toolCalls: [] };
    await new PostgresRunStore(database).create(run, []);
    await closeDataSource(database);
    expect(await rig.get('/api/tool-governance/flow/registered')).toMatchObject({ status: 200, body: { items: [], nextSequence: null } });
    expect((await rig.get('/api/tool-governance/flow/registered', { workspace: 'neighbour' })).status).toBe(404);
  });

  it(verifies('READ-006', 'withhold the text of arguments from a viewer, and everything from a stranger'), async () => {
    const viewer = await rig.get(`${path}?invocationId=second`, { role: 'viewer' });
    expect(viewer.body.items).toMatchObject([{ arguments: null, argumentsRetained: true, argumentsTruncated: true }]);
    expect((await rig.get(`${path}/events`, { role: 'viewer' })).text).not.toContain('secret \u{1F600}');
    expect((await rig.get(`${path}/events`)).text).toContain('secret \u{1F600}');
    expect((await rig.get(path, { token: null })).status).toBe(401);
  });

  it(
    verifies('READ-007', 'wait for a position, and say when it is not reached'),
    async () => {
      const waiting = rig.get(`${path}?waitFor=${newest + 3}`);
      const late = attemptFacts({ toolCallId: 'late', invocationId: 'late' });
      newest = await rig.publish(demo, late.started(), late.evaluated(), late.completed());
      expect((await waiting).body.items.at(-1)).toMatchObject({ toolCallId: 'late', outcome: 'Succeeded' });
      expect((await rig.get(`${path}?waitFor=-1`)).body.code).toBe('invalid_parameter');
      const unreached = await rig.get(`${path}?waitFor=${newest + 100}`);
      expect([unreached.status, unreached.body.code, unreached.headers.get('agentstration-projected-sequence')]).toEqual([
        503,
        'unavailable',
        String(newest),
      ]);
    },
    20_000,
  );
});
