import { createServer } from 'node:net';
import { eventually, freePort } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BenchCall, TestBench, providerOf } from '../contract-suite/test-bench.ts';

let bench: TestBench;
beforeEach(async () => {
  bench = await TestBench.open();
});
afterEach(() => bench.close());

const at = (endpoint: string) => providerOf({ transport: 'streamableHttp', endpoint });

/** Providers and a server: a function that calls its tools. */
async function start(...flags: string[]) {
  const server = await bench.serve(...flags);
  const providers = bench.providers();
  const provider = at(server.url);
  await providers.prepare(provider);
  return { server, providers, provider, call: (tool: string, more?: BenchCall) => bench.call(providers, provider, tool, more) };
}

describe('a call over Streamable HTTP', () => {
  it(verifies(['PROV-006', 'PROV-009'], 'is unknown at once when the stream ends without an answer, and is not repeated'), async () => {
    const { call } = await start();
    const startedAt = performance.now();
    expect(await call('sse-eof')).toEqual({ kind: 'unknown', code: 'provider_connection_lost' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    expect(await bench.executed()).toEqual(['sse-eof']);
    expect(await call('ok')).toMatchObject({ kind: 'answered' });
  });

  it.each(['sse-cut', 'die-after-execute'])('%s: is unknown when the connection breaks, and is not repeated', async (tool) => {
    const { call } = await start();
    expect(await call(tool)).toEqual({ kind: 'unknown', code: 'provider_connection_lost' });
    expect(await bench.executed()).toEqual([tool]);
  });

  it(verifies('PROV-006', 'is unknown when a gateway gives up: the server behind it may have gone on'), async () => {
    const { call } = await start();
    expect(await call('bad-gateway')).toEqual({ kind: 'unknown', code: 'provider_connection_lost' });
    expect(await bench.executed()).toEqual(['bad-gateway']);
  });

  it(verifies('PROV-009', 'is answered on the stream that the server lets resume'), async () => {
    const { call } = await start();
    expect(await call('sse-resume')).toMatchObject({ kind: 'answered', result: { content: [{ text: 'resumed' }] } });
    expect(await bench.executed()).toEqual(['sse-resume']);
  });

  it(verifies('PROV-009', 'is unknown when the server does not let it resume after all'), async () => {
    const { call } = await start();
    expect(await call('sse-resume-gone')).toEqual({ kind: 'unknown', code: 'provider_session_lost' });
    expect(await bench.executed()).toEqual(['sse-resume-gone']);
  });

  it(verifies('PROV-008', 'goes on with a new session and the same permit when the server does not know the session'), async () => {
    const { call } = await start();
    expect(await call('session-gone-once')).toMatchObject({ kind: 'answered', result: { content: [{ text: 'second session' }] } });
    expect(await bench.executed()).toEqual(['session-gone-once']);
    expect(bench.count('connection_opened')).toBe(2);
  });

  it(verifies('PROV-008', 'is sent no third time, and counts as not sent: nothing was executed'), async () => {
    const { call } = await start();
    expect(await call('session-gone')).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
    expect(bench.count('connection_opened')).toBe(2);
    expect(await bench.executed()).toEqual([]);
  });

  it(verifies('PROV-008', 'survives a server that was restarted meanwhile'), async () => {
    const { call, server } = await start();
    await call('ok');
    await server.kill();
    await bench.serve('--port', String(server.port));
    expect(await call('ok')).toMatchObject({ kind: 'answered' });
    expect(await bench.executed()).toEqual(['ok', 'ok']);
  });

  it(verifies('PROV-008', 'is not resent when the permit has become too old for it'), async () => {
    const server = await bench.serve();
    const start = performance.now();
    const providers = bench.providers({ now: () => start + (bench.count('connection_opened') < 2 ? 0 : 120_000) });
    const outcome = await bench.call(providers, at(server.url), 'session-gone-once', { lifetimeMs: 60_000 });
    expect(outcome).toEqual({ kind: 'not_sent', code: 'permit_expired' });
    expect(await bench.executed()).toEqual([]);
  });

  it(verifies(['PROV-021', 'PROV-004'], 'does not follow a redirect'), async () => {
    const { call } = await start();
    expect(await call('redirect')).toEqual({ kind: 'refused', code: 'provider_protocol_error' });
    expect(await bench.told()).toEqual([]);
  });

  it(verifies('PROV-004', 'is refused when the HTTP status refuses it'), async () => {
    const { call } = await start();
    expect(await call('bad-request')).toEqual({ kind: 'refused', code: 'provider_error' });
  });

  it.each(['not-final', 'no-result', 'bad-answer', 'deep'])('%s: is refused when the answer cannot be used', async (tool) => {
    const { call } = await start();
    expect(await call(tool)).toEqual({ kind: 'refused', code: 'provider_protocol_error' });
  });

  it(verifies('PROV-003', 'is a success although the result breaks the tool’s own output schema'), async () => {
    const { call, providers, provider } = await start();
    await providers.discover(provider);
    expect(await call('schema-bad')).toMatchObject({ kind: 'answered', isError: false, result: { structuredContent: { count: 'many' } } });
  });

  it(verifies('PROV-005', 'tells the server when nobody waits any more'), async () => {
    const { call } = await start();
    expect(await call('hang', { timeoutMs: 300 })).toEqual({ kind: 'unknown', code: 'provider_timeout' });
    await eventually(async () => expect((await bench.told()).map(({ event }) => event)).toEqual(['call', 'cancelled']));
  });

  it(verifies('PROV-011', 'lives through progress, and no longer than its time'), async () => {
    const { call } = await start();
    expect(await call('progress', { arguments: { ms: 400, everyMs: 50 }, timeoutMs: 10_000 })).toMatchObject({ kind: 'answered' });
    const startedAt = performance.now();
    const outcome = await call('progress', { arguments: { ms: 20_000, everyMs: 50 }, timeoutMs: 500 });
    expect(outcome).toEqual({ kind: 'unknown', code: 'provider_timeout' });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it(verifies('PROV-012', 'times out, breaks or is refused alone'), async () => {
    const { call } = await start();
    const neighbours = Promise.all([1, 2, 3].map(() => call('slow', { arguments: { ms: 1_500 } })));
    await eventually(async () => expect(await bench.executed()).toHaveLength(3));
    const lost = await Promise.all([call('hang', { timeoutMs: 200 }), call('sse-cut'), call('sse-eof'), call('bad-request')]);
    expect(lost.map(({ kind }) => kind)).toEqual(['unknown', 'unknown', 'unknown', 'refused']);
    expect((await neighbours).map(({ kind }) => kind)).toEqual(['answered', 'answered', 'answered']);
  });

  it(verifies('PROV-010', 'may bring 10 MiB, and not more'), async () => {
    const { call } = await start();
    const bytes = 10 * 1024 * 1024;
    expect(await call('big', { arguments: { bytes: bytes - 1024 } })).toMatchObject({ kind: 'answered' });
    expect(await call('big', { arguments: { bytes } })).toEqual({ kind: 'refused', code: 'provider_result_too_large' });
  });
});

describe('a server that cannot be reached', () => {
  it(verifies('PROV-007', 'gets nothing sent when it refuses the connection'), async () => {
    const outcome = await bench.call(bench.providers(), at(`http://127.0.0.1:${await freePort()}/mcp`), 'ok');
    expect(outcome).toEqual({ kind: 'not_sent', code: 'provider_unreachable' });
  });

  it(verifies('PROV-007', 'gets nothing sent when its name does not resolve'), async () => {
    const outcome = await bench.call(bench.providers(), at('http://no-such-host.invalid/mcp'), 'ok');
    expect(outcome).toEqual({ kind: 'not_sent', code: 'provider_unreachable' });
  });

  it(verifies('PROV-007', 'gets nothing sent when it accepts and says nothing until the time is over'), async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await eventually(() => expect(silent.listening).toBe(true));
    const { port } = silent.address() as { port: number };
    const outcome = await bench.call(bench.providers(), at(`http://127.0.0.1:${port}/mcp`), 'ok', { timeoutMs: 300 });
    expect(outcome).toEqual({ kind: 'not_sent', code: 'provider_unreachable' });
    silent.close();
  });

  it(verifies('PROV-007', 'gets nothing sent when it is no MCP server, or refuses to be initialized'), async () => {
    const server = await bench.serve('--authorization', 'Bearer right');
    const refused = await bench.call(bench.providers(), at(server.url), 'ok');
    const noServer = await bench.call(bench.providers(), at(server.url.replace('/mcp', '/nothing')), 'ok');
    expect([refused, noServer]).toEqual(Array(2).fill({ kind: 'not_sent', code: 'provider_unavailable' }));
    expect(await bench.executed()).toEqual([]);
  });

  it(verifies('PROV-021', 'cannot redirect the initialization'), async () => {
    const server = await bench.serve();
    const outcome = await bench.call(bench.providers(), at(server.url.replace('/mcp', '/moved')), 'ok');
    expect(outcome).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
    expect(await bench.told()).toEqual([]);
  });
});

describe('protocol revisions', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])('%s is spoken', async (revision) => {
    const { call } = await start('--protocol', revision);
    expect(await call('ok')).toMatchObject({ kind: 'answered' });
  });

  it(verifies('PROV-023', 'an unknown one fails the initialization'), async () => {
    const { call } = await start('--protocol', '2031-01-01');
    expect(await call('ok')).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
  });
});
