import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeDataSource, createDataSource } from '@agentstration/store';
import { removeOldest } from '@agentstration/store/read-model';
import { abandoned, allows, attemptFacts, denies, managed } from '../support/facts.ts';
import { verifies } from '../support/verifies.ts';
import { type Answered, type ProjectorRig, demo, neighbour, startProjectorRig } from './projector-rig.ts';

let rig: ProjectorRig;
let newest: number;
const base = '/api/tool-governance';
const hour = 3_600_000;
const start = Date.UTC(2026, 11, 1);

beforeAll(async () => {
  rig = await startProjectorRig();
  for (let index = 0; index < 12; index += 1) {
    const attempt = attemptFacts({
      runId: `run-${index % 2}`,
      toolCallId: `call-${index}`,
      invocationId: `i-${index}`,
      agentId: `agent-${index % 3}`,
    });
    const chain = index % 4 === 0 ? [denies('local', 'blocked')] : [managed('block', 1)];
    const end = index % 4 === 0 ? attempt.failed({ outcome: 'Denied', failureKind: 'Denied', errorCode: 'blocked' }) : attempt.completed();
    await rig.publish(demo, attempt.started(), attempt.evaluated(chain, {}, new Date(start + index * hour).toISOString()), end);
  }
  const foreign = attemptFacts({ runId: 'run-0', toolId: '=cmd', agentId: 'agent-0' });
  newest = await rig.publish(neighbour, foreign.started(), foreign.evaluated([managed('secret', 1)]), foreign.completed());
  await rig.get(`${base}?waitFor=${newest}`);
}, 60_000);
afterAll(() => rig?.stop());

const invocations = ({ body }: Answered) => body.items.map(({ invocationId }) => invocationId);
const expected = (...indexes: number[]) => indexes.map((index) => `i-${index}`);

describe('records over all Runs', () => {
  it(verifies('READ-008', 'come newest first in pages; the last page has no cursor'), async () => {
    const walked: unknown[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null; pages += 1) {
      expect(pages).toBeLessThan(4);
      const page: Answered = await rig.get(`${base}?limit=5${cursor === '' ? '' : `&cursor=${cursor}`}`);
      walked.push(...invocations(page));
      cursor = page.body.cursor as string | null;
    }
    expect(walked).toEqual(expected(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0));
  });

  it.each([
    ['agentId=agent-1', [10, 7, 4, 1]],
    ['providerId=everything&limit=2', [11, 10]],
    ['providerId=nobody', []],
    ['outcome=denied', [8, 4, 0]],
    ['outcome=SUCCEEDED&agentId=agent-2', [11, 5, 2]],
    ['outcome=running', []],
    ['decision=denied&agentId=agent-0', [0]],
    ['hookId=default/block&resourceGeneration=1&decision=allowed&limit=1', [11]],
    ['hookId=default/secret', []],
    ['from=2026-12-01T03:00:00Z&to=2026-12-01T05:00:00Z', [4, 3]],
    ['from=2026-12-01T11:30:00%2B01:00', [11]],
    ['to=2026-12-01T01:00:00.001Z', [1, 0]],
  ])(verifies(['READ-002', 'READ-005', 'READ-008'], 'are filtered by %s'), async (query, indexes) => {
    expect(invocations(await rig.get(`${base}?${query}`))).toEqual(expected(...indexes));
  });

  it.each([
    ['outcome=maybe', 'invalid_outcome'],
    ['from=yesterday', 'invalid_time'],
    ['to=2026-13-01T00:00:00Z', 'invalid_time'],
    ['from=2026-12-02T00:00:00Z&to=2026-12-01T00:00:00Z', 'invalid_time'],
    ['cursor=x', 'invalid_cursor'],
    ['afterSequence=1', 'invalid_parameter'],
  ])(verifies('READ-003', 'are refused for %s with %s'), async (query, code) => {
    expect(await rig.get(`${base}?${query}`)).toMatchObject({ status: 400, body: { code } });
  });

  it(verifies('READ-008', 'refuse a cursor that is tampered, of another filter or of another workspace'), async () => {
    const cursor = (await rig.get(`${base}?limit=1&agentId=agent-0`)).body.cursor as string;
    expect(invocations(await rig.get(`${base}?limit=1&agentId=agent-0&cursor=${cursor}`))).toEqual(expected(6));
    const tampered = Buffer.from(
      Buffer.from(cursor, 'base64url')
        .toString()
        .replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    ).toString('base64url');
    for (const query of [
      `agentId=agent-1&cursor=${cursor}`,
      `cursor=${cursor}`,
      `agentId=agent-0&cursor=${tampered}`,
      `agentId=agent-0&cursor=${cursor}A`,
    ]) {
      expect(await rig.get(`${base}?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
    }
    expect(await rig.get(`${base}?agentId=agent-0&cursor=${cursor}`, { workspace: 'neighbour' })).toMatchObject({ status: 400 });
  });
});

describe('the Tool Calls of a Run', () => {
  it(verifies('READ-009', 'tell state, attempts, the latest trace, duration and failure'), async () => {
    const [first, second, late] = [
      attemptFacts({ runId: 'calls', invocationId: 'first' }),
      attemptFacts({ runId: 'calls', invocationId: 'second', attempt: 2 }),
      attemptFacts({ runId: 'calls', toolCallId: 'other', invocationId: 'third' }),
    ];
    await rig.publish(demo, first.started(), first.evaluated([allows('local')]), first.failed(abandoned), second.started());
    newest = await rig.publish(demo, late.started(), late.evaluated(), late.failed(abandoned), late.completed());
    const answer = await rig.get(`${base}/runtime/calls/tool-calls?waitFor=${newest}`);
    expect(answer.body).toMatchObject({
      nextSequence: null,
      items: [
        {
          toolCallId: 'call_9',
          sequence: 1,
          state: 'Running',
          attempts: 2,
          failure: null,
          latestAttempt: { invocationId: 'second', decision: null, outcome: null },
        },
        {
          ...{ toolCallId: 'other', sequence: 5, state: 'Unknown', final: false, attempts: 1, durationMs: 0 },
          failure: { kind: 'Provider', code: 'attempt_abandoned' },
          latestAttempt: { decision: 'Allowed', lateOutcome: { outcome: 'Succeeded', durationMs: 12.5 } },
        },
      ],
    });
    const pages = await rig.get(`${base}/runtime/calls/tool-calls?limit=1`);
    expect([pages.body.items.length, pages.body.nextSequence]).toEqual([1, 1]);
    expect((await rig.get(`${base}/runtime/calls/tool-calls`, { workspace: 'neighbour' })).body.code).toBe('run_not_found');
  });
});

describe('the events of a Run', () => {
  it(verifies(['READ-010', 'PROJ-007'], 'are all facts in order; unreadable ones are dead letters, for operators'), async () => {
    const attempt = attemptFacts({ runId: 'events' });
    const subject = 'agentstration.journal.v1.acme.demo.runtime.events.call_9';
    const started = attempt.started();
    await rig.publish(demo, started);
    const poison = await rig.publishRaw(subject, '{"type":"io.agentstration.ToolExecutionStarted.v2"}');
    newest = await rig.publish(demo, attempt.evaluated());
    const answer = await rig.get(`${base}/runtime/events/events?waitFor=${newest}`);
    expect(answer.body.items).toMatchObject([
      { sequence: 1, fact: started, unreadable: null },
      { sequence: 2, fact: null, unreadable: 'unknown fact type io.agentstration.ToolExecutionStarted.v2' },
      { sequence: 3, fact: { type: 'io.agentstration.ToolExecutionGovernanceEvaluated.v1' } },
    ]);
    const letters = await rig.get(`${base}/dead-letters`);
    expect(letters.body.items).toMatchObject([
      { journalSequence: poison, subject, reason: 'unknown fact type io.agentstration.ToolExecutionStarted.v2' },
    ]);
    expect((await rig.get(`${base}/dead-letters`, { workspace: 'neighbour' })).body.items).toEqual([]);
  });
});

/** Reads events until there are so many. */
async function events(response: Response, count: number): Promise<{ id: number; record: Record<string, unknown> }[]> {
  const found: { id: number; record: Record<string, unknown> }[] = [];
  let text = '';
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  while (found.length < count) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
    const complete = text.split('\n\n');
    text = complete.pop()!;
    for (const event of complete) {
      const [, id, data] = /^id: (\d+)\nevent: record\ndata: (.*)$/.exec(event) ?? [];
      if (data) found.push({ id: Number(id), record: JSON.parse(data) as Record<string, unknown> });
    }
  }
  await reader.cancel();
  return found;
}

describe('the live stream', () => {
  it(verifies(['READ-011', 'READ-005'], 'sends new records and again when they end, and goes on after Last-Event-ID'), async () => {
    const stop = new AbortController();
    const response = await rig.open(`${base}/stream`, { signal: stop.signal });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const attempt = attemptFacts({ runId: 'live', invocationId: 'live' });
    await rig.publish(neighbour, ...[attempt.started(), attempt.evaluated()]);
    await rig.publish(demo, attempt.started(), attempt.evaluated());
    await rig.publish(demo, attempt.completed());
    const [opened, ended] = await events(response, 2);
    stop.abort();
    expect([opened?.record, ended?.record]).toMatchObject([
      { invocationId: 'live', outcome: null },
      { invocationId: 'live', outcome: 'Succeeded' },
    ]);
    expect(opened!.id).toBeLessThan(ended!.id);
    const again = await rig.open(`${base}/stream`, { headers: { 'Last-Event-ID': String(opened!.id) } });
    expect(await events(again, 1)).toEqual([ended]);
    const all = await rig.open(`${base}/stream?agentId=agent-1`, { headers: { 'Last-Event-ID': '0' } });
    expect((await events(all, 8)).map(({ record }) => record.invocationId)).toEqual(expected(1, 1, 4, 4, 7, 7, 10, 10));
  });

  it.each(['x', '-1', '999999999'])(verifies('READ-011', 'refuses Last-Event-ID %s'), async (id) => {
    const answer = await rig.get(`${base}/stream`, { headers: { 'Last-Event-ID': id } });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_cursor' } });
  });
});

describe('the export', () => {
  it(verifies('READ-012', 'as NDJSON has every matching record, newest first, as the list has it'), async () => {
    const answer = await rig.get(`${base}/export?providerId=everything&to=2026-12-02T00:00:00Z`);
    expect(answer.headers.get('content-type')).toMatch(/^application\/x-ndjson/);
    const lines = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual((await rig.get(`${base}?providerId=everything&to=2026-12-02T00:00:00Z&limit=200`)).body.items);
    expect(lines.length).toBeGreaterThan(12);
  });

  it(verifies('READ-012', 'as CSV is safe to open in a spreadsheet'), async () => {
    const attempt = attemptFacts({ runId: 'csv', toolId: '=1+1', toolName: 'a,"b"\nc', agentId: '@agent', correlationId: '-1' });
    newest = await rig.publish(demo, attempt.started(), attempt.evaluated([managed('block', 2)]));
    const answer = await rig.get(`${base}/export?toolId=%3D1%2B1&waitFor=${newest}`, { headers: { Accept: 'text/csv' } });
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    const [head, ...rows] = answer.text.split('\r\n');
    expect(head).toMatch(/^ownerKind,runId,sequence,workspaceSequence,timestamp,/);
    expect(rows.join('\r\n')).toContain(`,'=1+1,"a,""b""\nc",everything,echo,'@agent,'-1,,false,false,Allowed,,"[{""hook""`);
  });

  it('is refused for an unknown format', async () => {
    expect(await rig.get(`${base}/export?format=xml`)).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
  });
});

describe('the summary', () => {
  it(verifies('READ-013', 'counts by decision, outcome, tool, agent and hook in time buckets'), async () => {
    const answer = await rig.get(`${base}/summary?from=2026-12-01T02:00:00Z&to=2026-12-01T12:00:00Z&bucket=day&providerId=everything`);
    expect(answer.body).toEqual({
      ...{ from: '2026-12-01T02:00:00.000Z', to: '2026-12-01T12:00:00.000Z', bucket: 'day' },
      buckets: [
        {
          ...{ start: '2026-12-01T00:00:00.000Z', total: 10, decisions: { Allowed: 8, Denied: 2 }, outcomes: { Succeeded: 8, Denied: 2 } },
          ...{
            tools: { 'everything.echo': 10 },
            agents: { 'agent-0': 3, 'agent-1': 3, 'agent-2': 4 },
            hooks: { 'managed:default/block': 8, local: 2 },
          },
        },
      ],
    });
    const hours = await rig.get(`${base}/summary?from=2026-12-01T02:00:00Z&to=2026-12-01T05:00:00Z&decision=allowed`);
    expect((hours.body.buckets as { start: string; total: number }[]).map(({ start: at, total }) => [at, total])).toEqual([
      ['2026-12-01T02:00:00.000Z', 1],
      ['2026-12-01T03:00:00.000Z', 1],
    ]);
  });

  it.each([
    ['from=2026-12-02T00:00:00Z&to=2026-12-01T00:00:00Z', 'invalid_time'],
    ['bucket=second', 'invalid_parameter'],
    ['bucket=minute&from=2026-12-01T00:00:00Z&to=2026-12-10T00:00:00Z', 'invalid_parameter'],
  ])('refuses %s with %s', async (query, code) => {
    expect(await rig.get(`${base}/summary?${query}`)).toMatchObject({ status: 400, body: { code } });
  });
});

it.each(['', '/export', '/stream', '/summary'])(
  verifies('READ-003', 'a span that ends before it begins is told with both ends by %s'),
  async (route) => {
    const answer = await rig.get(`${base}${route}?from=2026-12-01T02:00:00%2B01:00&to=2026-12-01T00:00:00Z`);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_time' } });
    expect(answer.body.detail).toBe('from (2026-12-01T01:00:00.000Z) must not be after to (2026-12-01T00:00:00.000Z)');
  },
);

describe('without permission', () => {
  it.each(['', '/stream', '/export', '/summary', '/dead-letters', '/runtime/run-0/tool-calls', '/runtime/run-0/events'])(
    verifies('READ-006', 'nothing is answered at %s'),
    async (route) => {
      expect((await rig.get(`${base}${route}`, { token: null })).status).toBe(401);
    },
  );
});

describe('the OpenAPI document', () => {
  it('describes every route, and only schemas that are there', async () => {
    const { body, text } = await rig.get('/openapi.json');
    const routes = Object.keys(body.paths as object).filter((path) => path.startsWith(base));
    expect(routes.sort()).toEqual(
      ['', '/dead-letters', '/export', '/stream', '/summary', ...['', '/events', '/tool-calls'].map((end) => `/{ownerKind}/{runId}${end}`)]
        .map((route) => base + route)
        .sort(),
    );
    const { schemas } = body.components as { schemas: object };
    const named = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => !Object.hasOwn(schemas, name))).toEqual([]);
  });
});

describe('what retention has removed', () => {
  it(verifies(['PROJ-013', 'READ-008'], 'is told by every answer, and a cursor into it is stale'), async () => {
    const { cursor } = (await rig.get(`${base}?limit=200&to=2026-12-01T00:30:00Z`)).body;
    expect(cursor).toBeNull();
    const early = (await rig.get(`${base}?limit=1&agentId=agent-1`)).body.cursor as string;
    const database = createDataSource({ url: rig.databaseUrl, role: 'projector' });
    await database.initialize();
    const removed = await removeOldest(database, { ...demo, before: Date.now() + hour });
    await closeDataSource(database);
    for (const route of ['', '/summary', '/runtime/run-0', '/runtime/run-0/events', '/runtime/run-0/tool-calls', '/dead-letters']) {
      const answer = await rig.get(`${base}${route}`);
      expect([route, answer.status, answer.headers.get('agentstration-removed-through')]).toEqual([route, 200, String(removed!.through)]);
    }
    expect((await rig.get(`${base}/runtime/run-0`)).body).toEqual({ items: [], nextSequence: null });
    expect(await rig.get(`${base}?limit=1&agentId=agent-1&cursor=${early}`)).toMatchObject({
      status: 400,
      body: { code: 'invalid_cursor' },
    });
    expect((await rig.get(`${base}`, { workspace: 'neighbour' })).headers.get('agentstration-removed-through')).toBeNull();
    const stream = await rig.open(`${base}/stream`, { headers: { 'Last-Event-ID': '1' } });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader.read()).value).toBe(`event: removed\ndata: {"through":${removed!.through}}\n\n`);
    await reader.cancel();
  });
});
