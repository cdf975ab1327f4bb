import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { streams } from '@agentstration/contracts';
import { type RunningProcess, eventually, freePort, startProcess } from '@agentstration/local-servers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import pg from 'pg';
import { type TestMcpServer, startTestMcpServer, testMcpServerPath } from '../support/mcp/test-server.ts';
import { OtlpReceiver } from '../support/otlp-receiver.ts';
import type { ExecutorProcess } from '../support/system/executor-process.ts';
import { request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';
import { type Governed, startGoverned } from './executor-rig.ts';
import { hook, provider } from './management-rig.ts';

const canaries = {
  argument: 'canary-argument-4711',
  /** The name of an argument, in a request that is refused. */
  argumentName: 'canary-argument-name-4711',
  retained: 'canary-retained-4711',
  denial: 'canary-denial-4711',
  credential: 'canary-credential-4711',
  environment: 'canary-environment-4711',
  // What the test server says of itself.
  result: 'it went wrong',
  noise: 'starting up ...',
  providerText: 'secret text of the provider',
  httpText: 'text of the provider',
} as const;
type Canary = keyof typeof canaries;
const everywhere = Object.keys(canaries) as Canary[];
const but = (...allowed: readonly Canary[]): readonly Canary[] => everywhere.filter((canary) => !allowed.includes(canary));

const trace = 'a'.repeat(32);
const caller = 'b'.repeat(16);

let governed: Governed;
let executor: ExecutorProcess;
let projector: RunningProcess & { readonly origin: string };
let secured: TestMcpServer;
let collector: OtlpReceiver;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'canaries-'));
  await writeFile(join(directory, 'token'), canaries.credential, { mode: 0o600 });
  collector = await OtlpReceiver.start();
  secured = await startTestMcpServer(['--authorization', canaries.credential]);
  governed = await startGoverned({
    tools: { ok: {}, 'is-error': {}, 'protocol-error': {}, noise: {}, 'bad-gateway': {} },
    environment: {
      ...collector.environment,
      Agentstration__ToolProviders__Stdio: JSON.stringify({
        test: {
          Command: process.execPath,
          Arguments: [testMcpServerPath],
          Environment: { SECRET: canaries.environment },
          Workspaces: ['*'],
        },
      }),
      Agentstration__ToolProviders__Secrets: JSON.stringify({
        token: { ValueFile: join(directory, 'token'), Workspaces: ['*'], Hosts: ['127.0.0.1'] },
      }),
    },
  });
  executor = governed.executors[0] as ExecutorProcess;
  projector = await startProjector();
  await offerSecured();
}, 60_000);
afterAll(async () => {
  await projector?.stop();
  await governed?.stop();
  await secured?.stop();
  await collector?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** In a process of its own, for the sake of its log. */
async function startProjector(): Promise<typeof projector> {
  const port = await freePort();
  const running = await startProcess({
    command: process.execPath,
    arguments: [join(import.meta.dirname, '../../apps/governance-projector/dist/main.js')],
    environment: {
      ...{ PATH: process.env.PATH, ...collector.environment },
      Agentstration__Database__Url: governed.databaseUrl,
      Agentstration__Nats__Servers__0: governed.nats.url,
      Agentstration__Authentication__Mode: 'Development',
      Agentstration__DataDirectory: governed.configuration.DataDirectory,
      Agentstration__Http__Port: String(port),
    },
  });
  return { ...running, origin: `http://127.0.0.1:${port}` };
}

async function offerSecured(): Promise<void> {
  const mcp = { transport: 'streamableHttp', endpoint: secured.url, headerReferences: { Authorization: 'token' } };
  await governed.call('POST', '/api/toolproviders', { body: provider('secured', { mcp }) });
  expect((await governed.call('POST', '/api/toolproviders/secured/refresh')).status).toBe(200);
  for (const tool of ['ok', 'bad-gateway']) {
    const { etag } = await governed.call('GET', `/api/tools/secured.${tool}`);
    await governed.call('PATCH', `/api/tools/secured.${tool}`, { body: { definition: { enabled: true } }, headers: { 'If-Match': etag } });
  }
}

/** Every row of every table, as text: `bytea` is there in hex. */
async function rows(of: (table: string) => boolean): Promise<string> {
  const client = new pg.Client({ connectionString: governed.databaseUrl });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    const all: string[] = [];
    for (const { name } of tables.filter(({ name: table }) => of(table)))
      all.push(JSON.stringify((await client.query(`SELECT t::text FROM ${name} t`)).rows));
    return all.join('\n');
  } finally {
    await client.end();
  }
}

/** Every message of a stream, headers included. */
async function messages(stream: string): Promise<string> {
  const manager = await jetstreamManager(governed.connection, { checkAPI: false });
  const { state } = await manager.streams.info(stream);
  const sequences = Array.from({ length: state.last_seq - state.first_seq + 1 }, (_, index) => state.first_seq + index);
  const stored = await Promise.all(sequences.map((seq) => manager.streams.getMessage(stream, { seq }).catch(() => null)));
  return stored.map((message) => `${message?.subject} ${JSON.stringify([...(message?.header ?? [])])} ${message?.string()}`).join('\n');
}

const found = (text: string, among: readonly Canary[]): readonly Canary[] =>
  among.filter((canary) => text.includes(canaries[canary]) || text.includes(Buffer.from(canaries[canary]).toString('hex')));

describe('one run with canaries everywhere', () => {
  beforeAll(async () => {
    const { requester } = governed;
    const given = { arguments: { text: canaries.argument } };
    const configuration = { code: 'blocked', message: canaries.denial };
    await governed.call('POST', '/api/toolexecutionhooks', {
      body: hook('guard', { selector: { agents: ['denied'], tools: [], providers: [] }, configuration }),
    });
    const told = async (toolCallId: string, toolId: string, agentId = 'agent') =>
      requester.call({ ...request(toolCallId, '', given), toolId, agentId });
    expect(await told('ok', 'test.ok')).toMatchObject({ result: { structuredContent: given.arguments } });
    expect(await told('denied', 'test.ok', 'denied')).toMatchObject({ failure: { message: canaries.denial } });
    expect(await told('reported', 'test.is-error')).toMatchObject({ result: { content: [{ text: canaries.result }] } });
    for (const tool of ['test.protocol-error', 'test.noise', 'extended.bad-gateway', 'secured.ok', 'secured.bad-gateway'])
      await told(tool, tool);
    await requester.publish(request('traced', 'ok', given), { traceparent: `00-${trace}-${caller}-01` });
    await requester.publish(JSON.stringify({ ...request('refused', 'ok', given), unknown: canaries.argument }));
    const twice = `"${canaries.argumentName}":1`;
    await requester.publish(JSON.stringify(request('twice', 'ok')).replace(/}$/, `,"arguments":{${twice},${twice}}}`));
    const order = (text: string, persistToolArguments: boolean | null) => ({
      ...{ agentId: 'agent', toolCalls: [{ toolId: 'test.ok', arguments: { text } }] },
      execution: { persistToolArguments },
    });
    const [kept, dropped] = await Promise.all([
      governed.call('POST', '/api/runs', { body: order(canaries.retained, true) }),
      governed.call('POST', '/api/runs', { body: order(canaries.argument, null) }),
    ]);
    for (const { body } of [kept, dropped])
      await requester.result({ run: { ownerKind: 'RuntimeRun', runId: body.runId }, toolCallId: 'call-1' });
    await eventually(async () => expect(await requester.queued()).toBe(0), { within: 10_000 });
    await eventually(
      async () => {
        const headers = { Authorization: `Bearer ${await governed.token()}` };
        const text = await (await fetch(`${projector.origin}/api/tool-governance/runtime/${kept.body.runId}`, { headers })).text();
        expect(text).toContain(canaries.retained);
        expect(text).toContain('"outcome":"Succeeded"');
      },
      { within: 10_000 },
    );
  }, 60_000);

  it(verifies('REQ-009', 'leaves none in the Journal but arguments that were to be retained'), async () => {
    const journal = await messages(streams.journal);
    expect(found(journal, ['retained'])).toEqual(['retained']);
    expect(found(journal, but('retained'))).toEqual([]);
  });

  it(verifies('REQ-009', 'leaves none in dead letters, and the queue is empty'), async () => {
    const letters = await messages(streams.deadLetters);
    expect(letters.split('\n').filter((letter) => letter.includes('"reason"'))).toHaveLength(2);
    expect(found(letters, everywhere)).toEqual([]);
    expect(found(await messages(streams.requests), everywhere)).toEqual([]);
  });

  it(verifies('REQ-009', 'leaves none in the database but a hook’s own message and what was retained'), async () => {
    const isResource = (table: string) => table.includes('resource');
    expect(found(await rows(isResource), everywhere)).toEqual(['denial']);
    expect(found(await rows((table) => !isResource(table)), but('retained'))).toEqual([]);
  });

  it(verifies('REQ-009', 'leaves none in the logs of any service'), () => {
    const logs = [executor.process.output(), projector.output(), JSON.stringify(governed.logged())];
    for (const log of logs) expect(log).toContain('"level"');
    expect(found(logs.join('\n'), everywhere)).toEqual([]);
  });

  it(verifies(['REQ-009', 'METRIC-002'], 'leaves none in metrics, whose labels name no workspace and no id'), async () => {
    const scraped = await Promise.all(
      [executor, { origin: governed.url }, projector].map(async ({ origin }) => (await fetch(`${origin}/metrics`)).text()),
    );
    expect(found(scraped.join('\n'), everywhere)).toEqual([]);
    const own = (scraped[0] ?? '').split('\n').filter((line) => line.startsWith('agentstration_'));
    const counted = (name: string, labels: string) =>
      own
        .find((line) => line.startsWith(`agentstration_${name}{${labels}}`))
        ?.split(' ')
        .at(-1);
    expect(counted('attempts_total', 'outcome="Denied",failure_kind="Denied"')).toBe('1');
    expect(Number(counted('attempts_total', 'outcome="Succeeded",failure_kind="none"'))).toBeGreaterThanOrEqual(6);
    expect(counted('provider_calls_total', 'outcome="answered",code="tool_error"')).toBe('1');
    expect(counted('provider_calls_total', 'outcome="refused",code="provider_error"')).toBe('1');
    expect(own).toContain('agentstration_requests_running 0');
    expect(own).toContain('agentstration_journal_accepts_attempts 1');
    const documented = await readFile(join(import.meta.dirname, '../../docs/reference/metrics.md'), 'utf8');
    const families = new Set((scraped[0] ?? '').match(/(?<=^# TYPE )agentstration_\w+/gm));
    expect(new Set(documented.match(/agentstration_\w+/g))).toEqual(families);
    expect(own.join('\n')).not.toMatch(/acme|demo|test\.|secured|run-1|agent"/);
  });

  it(verifies('REQ-016', 'leaves none in exported spans, by which an attempt is found from its facts'), async () => {
    const journal = await governed.requester.journal();
    const [started] = journal.map(({ fact }) => fact).filter(({ data }) => 'toolCallId' in data && data.toolCallId === 'traced');
    const [, traceId, spanId] = started?.traceparent?.split('-') ?? [];
    expect(traceId).toBe(trace);
    await eventually(
      () => {
        const spans = collector.spans().filter((span) => span.traceId === trace);
        expect(spans.find((span) => span.spanId === spanId)).toMatchObject({ name: 'execute_tool test.ok', parentSpanId: caller });
        const below = spans.filter(({ parentSpanId }) => parentSpanId === spanId).map(({ name }) => name);
        expect(below).toEqual(['append fact', 'connect provider', 'append fact', 'tools/call', 'append fact']);
        return Promise.resolve();
      },
      { within: 10_000 },
    );
    expect(found(collector.text(), everywhere)).toEqual([]);
  });

  it(verifies('REQ-016', 'leaves none in problem documents'), async () => {
    const malformed = hook('guard', { configuration: { code: canaries.argument, message: '', [canaries.argumentName]: canaries.denial } });
    const answers = [
      await governed.call('POST', '/api/toolexecutionhooks', { body: malformed }),
      await governed.call('POST', '/api/runs', {
        body: { agentId: 'agent', toolCalls: [{ toolId: 'test.ok', arguments: canaries.argument }] },
      }),
      await governed.call('GET', '/api/toolproviders', { headers: { Authorization: `Bearer ${canaries.credential}` } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 401]);
    expect(found(answers.map(({ text }) => text).join(), but('argumentName'))).toEqual([]);
  });
});
