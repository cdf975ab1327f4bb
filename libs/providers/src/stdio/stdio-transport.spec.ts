import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, startProcess } from '@agentstration/local-servers';
import { testMcpServerPath } from '@agentstration/test/mcp';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type BenchCall, TestBench, providerOf } from '../contract-suite/test-bench.ts';
import type { StdioProfile, ToolProvidersOptions } from '../options.ts';

let bench: TestBench;
beforeEach(async () => {
  bench = await TestBench.open();
});
afterEach(() => bench.close());

const provider = providerOf({ transport: 'stdio', profile: 'test' });
const pidFile = () => join(bench.directory, 'pids');

/** Providers with a profile that starts the test server, which notes its process ids. */
function start(flags: readonly string[] = [], options: ToolProvidersOptions = {}) {
  return use(bench.profile('--pid-file', pidFile(), ...flags), options);
}

function use(profile: StdioProfile, options: ToolProvidersOptions = {}) {
  const providers = bench.providers({ stdio: { test: profile }, ...options });
  return { providers, call: (tool: string, more?: BenchCall) => bench.call(providers, provider, tool, more) };
}

async function pids(): Promise<readonly number[]> {
  const text = await readFile(pidFile(), 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
}

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a call over stdio', () => {
  it.each([
    ['die-before', []],
    ['die-after-execute', ['die-after-execute']],
  ])('%s: is unknown when the server dies, and the next call starts another', async (tool, executed) => {
    const { call } = start();
    expect(await call(tool)).toEqual({ kind: 'unknown', code: 'provider_connection_lost' });
    expect(await bench.executed()).toEqual(executed);
    expect(await call('ok')).toMatchObject({ kind: 'answered' });
    expect(new Set(await pids()).size).toBe(2);
  });

  it(verifies('PROV-014', 'starts a server again that was killed while nobody used it'), async () => {
    const { call } = start();
    await call('ok');
    process.kill((await pids())[0] ?? 0, 'SIGKILL');
    await eventually(() => expect(bench.count('connection_closed')).toBe(1));
    expect(await call('ok')).toMatchObject({ kind: 'answered' });
  });

  it(verifies('PROV-013', 'starts one server however many calls wait for it'), async () => {
    const { call } = start(['--start-delay', '300']);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => call('ok')));
    expect(outcomes.every(({ kind }) => kind === 'answered')).toBe(true);
    expect(await pids()).toHaveLength(1);
  });

  it(verifies('PROV-018', 'is answered despite noise, which is counted and not logged'), async () => {
    const { call } = start(['--noise']);
    expect(await call('noise')).toMatchObject({ kind: 'answered', result: { content: [{ text: 'despite noise' }] } });
    expect(bench.count('message_ignored')).toBe(3);
    expect(bench.logged).toEqual([]);
  });

  it(verifies(['PROV-010', 'PROV-012'], 'fails alone when its result is too large'), async () => {
    const { call } = start([], { maximumResultBytes: 100_000 });
    const neighbour = call('slow', { arguments: { ms: 500 } });
    await eventually(async () => expect(await bench.executed()).toHaveLength(1));
    const results = await Promise.all([call('big', { arguments: { bytes: 5_000_000 } }), call('ok'), call('bad-answer')]);
    expect(results).toMatchObject([
      { kind: 'refused', code: 'provider_result_too_large' },
      { kind: 'answered' },
      { kind: 'refused', code: 'provider_protocol_error' },
    ]);
    expect(await neighbour).toMatchObject({ kind: 'answered' });
    expect(await pids()).toHaveLength(1);
  });

  it(verifies('PROV-005', 'tells the server when nobody waits any more, and leaves the others alone'), async () => {
    const { call } = start();
    const neighbour = call('slow', { arguments: { ms: 1_000 } });
    await eventually(async () => expect(await bench.executed()).toHaveLength(1));
    expect(await call('hang', { timeoutMs: 300 })).toEqual({ kind: 'unknown', code: 'provider_timeout' });
    await eventually(async () => expect((await bench.told()).map(({ event }) => event)).toContain('cancelled'));
    expect(await neighbour).toMatchObject({ kind: 'answered' });
  });

  it(verifies('PROV-018', 'ignores an answer that comes after the time-out'), async () => {
    const { call, providers } = start();
    await providers.prepare(provider);
    expect(await call('slow', { arguments: { ms: 600 }, timeoutMs: 300 })).toEqual({ kind: 'unknown', code: 'provider_timeout' });
    await eventually(() => expect(bench.count('message_ignored')).toBe(1));
    expect(await call('ok')).toMatchObject({ kind: 'answered' });
    expect(await pids()).toHaveLength(1);
  });

  it(verifies('PROV-002', 'has its permit expire while a slow server starts, and finds it started the next time'), async () => {
    const { call } = start(['--start-delay', '1500']);
    expect(await call('ok', { lifetimeMs: 1_000 })).toEqual({ kind: 'not_sent', code: 'permit_expired' });
    expect(await bench.executed()).toEqual([]);
    expect(await call('ok', { lifetimeMs: 1_000 })).toMatchObject({ kind: 'answered' });
  });

  it(verifies('PROV-031', 'finds the server started when it was prepared'), async () => {
    const { call, providers } = start(['--start-delay', '1500']);
    await providers.prepare(provider);
    expect(await call('ok', { lifetimeMs: 1_000 })).toMatchObject({ kind: 'answered' });
  });

  it(verifies('PROV-005', 'is not sent when it is cancelled, or its time is over, while the server starts'), async () => {
    const { call } = start(['--start-delay', '1000']);
    const controller = new AbortController();
    const cancelled = call('ok', { signal: controller.signal });
    const late = await call('ok', { timeoutMs: 200 });
    controller.abort();
    expect([late, await cancelled]).toEqual([
      { kind: 'not_sent', code: 'provider_unreachable' },
      { kind: 'not_sent', code: 'cancelled' },
    ]);
    await eventually(() => expect(bench.count('connection_opened')).toBe(1));
    expect(await bench.executed()).toEqual([]);
  });
});

describe('a stdio server that does not get ready', () => {
  it(verifies('PROV-007', 'gets nothing sent when its command does not exist'), async () => {
    const { call } = use({ Command: '/no/such/command', Workspaces: ['*'] });
    expect(await call('ok')).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
  });

  it(verifies('PROV-007', 'gets nothing sent when its folder does not exist'), async () => {
    const { call } = use({ ...bench.profile(), WorkingDirectory: '/no/such/folder' });
    expect(await call('ok')).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
  });

  it(verifies('PROV-007', 'gets nothing sent when it never answers initialize, and is not left behind'), async () => {
    const { call } = start(['--hang-initialize', '--ignore-eof'], { connectTimeoutMs: 500 });
    expect(await call('ok')).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
    const [pid = 0] = await pids();
    await eventually(() => expect(runs(pid)).toBe(false));
  });

  it(verifies('PROV-014', 'is left alone for a while after it failed twice, and tried again then'), async () => {
    let skipped = 0;
    const { call } = start(['--die-at-start'], { now: () => performance.now() + skipped });
    for (const started of [1, 2, 2, 2]) {
      expect(await call('ok')).toMatchObject({ kind: 'not_sent' });
      expect(await pids()).toHaveLength(started);
    }
    skipped = 30_000;
    await call('ok', { lifetimeMs: 60_000 });
    expect(await pids()).toHaveLength(3);
  });
});

describe('the processes of stdio servers', () => {
  it(verifies('PROV-016', 'have a minimal environment and what the profile adds'), async () => {
    const { call } = use({ ...bench.profile(), Environment: { ONLY_THIS: '1' } });
    const outcome = await call('environment');
    const [{ text = '' } = {}] = (outcome.kind === 'answered' ? (outcome.result as { content: { text: string }[] }) : { content: [] })
      .content;
    const names = text.split(',').filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name));
    expect(['HOME', 'LANG', 'ONLY_THIS', 'PATH']).toEqual(expect.arrayContaining(names));
    expect(names).toEqual(expect.arrayContaining(['ONLY_THIS', 'PATH']));
  });

  it(verifies('PROV-016', 'are started only for Workspaces of the profile'), async () => {
    const { call, providers } = start();
    const stranger = { ...provider, scope: { tenantId: 'local', workspaceId: 'stranger' } };
    const closed = use({ ...bench.profile('--pid-file', pidFile()), Workspaces: ['demo', 'other/stranger'] });
    expect(await bench.call(closed.providers, stranger, 'ok')).toEqual({ kind: 'not_sent', code: 'provider_not_permitted' });
    const unknown = providerOf({ transport: 'stdio', profile: 'constructor' });
    expect(await bench.call(providers, unknown, 'ok')).toEqual({ kind: 'not_sent', code: 'provider_not_permitted' });
    expect(await pids()).toEqual([]);
    expect(await call('ok')).toMatchObject({ kind: 'answered' });
  });

  it(verifies('PROV-013', 'are not shared by Workspaces, providers or generations'), async () => {
    const { call, providers } = start();
    const others = [
      { ...provider, scope: { tenantId: 'local', workspaceId: 'other' } },
      { ...provider, scope: { tenantId: 'other', workspaceId: 'demo' } },
      { ...provider, providerId: 'another' },
      { ...provider, generation: 2 },
    ];
    await call('ok');
    await call('ok');
    for (const other of others) expect(await bench.call(providers, other, 'ok')).toMatchObject({ kind: 'answered' });
    expect(await pids()).toHaveLength(5);
  });

  it(verifies('PROV-015', 'are bounded per Workspace: an idle one makes room, busy ones do not'), async () => {
    const { providers } = start([], { maximumConnectionsPerWorkspace: 2 });
    const named = (providerId: string) => ({ ...provider, providerId });
    const busy = [bench.call(providers, named('a'), 'slow'), bench.call(providers, named('b'), 'slow')];
    await eventually(async () => expect(await bench.executed()).toHaveLength(2));
    expect(await bench.call(providers, named('c'), 'ok')).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
    const elsewhere = { ...named('c'), scope: { tenantId: 'local', workspaceId: 'other' } };
    expect(await bench.call(providers, elsewhere, 'ok')).toMatchObject({ kind: 'answered' });
    expect((await Promise.all(busy)).map(({ kind }) => kind)).toEqual(['answered', 'answered']);
    expect(await bench.call(providers, named('c'), 'ok')).toMatchObject({ kind: 'answered' });
  });

  it(verifies('PROV-014', 'end when nobody uses them for a while'), async () => {
    const { call } = start([], { idleTimeoutMs: 200 });
    await call('ok');
    const [pid = 0] = await pids();
    await eventually(() => expect(runs(pid)).toBe(false));
    expect(await call('slow', { arguments: { ms: 400 } })).toMatchObject({ kind: 'answered' });
  });

  it.each([
    ['plain', []],
    ['deaf to the end of its input and to SIGTERM', ['--ignore-eof']],
  ])('%s: are gone when the providers are closed', async (_, flags) => {
    const { call, providers } = start(flags);
    const underWay = call('hang');
    await eventually(async () => expect(await bench.executed()).toHaveLength(1));
    await providers.close();
    expect(await underWay).toEqual({ kind: 'unknown', code: 'provider_connection_lost' });
    const [pid = 0] = await pids();
    expect(runs(pid)).toBe(false);
  });

  it(verifies('PROV-017', 'are gone with the shell that they are wrapped in'), async () => {
    const server = `"${process.execPath}" "${testMcpServerPath}" --ignore-eof --pid-file "${pidFile()}"; true`;
    const { call, providers } = use({ Command: '/bin/sh', Arguments: ['-c', server], Workspaces: ['*'] });
    expect(await call('ok')).toMatchObject({ kind: 'answered' });
    await providers.close();
    const [pid = 0] = await pids();
    await eventually(() => expect(runs(pid)).toBe(false));
  });

  it(verifies('PROV-017', 'are gone with a server that dies and leaves helpers of its own behind'), async () => {
    const helper = `"${process.execPath}" "${testMcpServerPath}" --ignore-eof --pid-file "${pidFile()}" </dev/null >/dev/null`;
    const server = `${helper} & exec "${process.execPath}" "${testMcpServerPath}"`;
    const { call } = use({ Command: '/bin/sh', Arguments: ['-c', server], Workspaces: ['*'] });
    expect(await call('ok')).toMatchObject({ kind: 'answered' });
    await eventually(async () => expect(await pids()).toHaveLength(1));
    expect(await call('die-after-execute')).toMatchObject({ kind: 'unknown' });
    const [pid = 0] = await pids();
    await eventually(() => expect(runs(pid)).toBe(false));
  });

  it(verifies('PROV-017', 'are gone when the executor is killed, also when wrapped and deaf'), async () => {
    const executor = await startProcess({
      command: process.execPath,
      arguments: [
        ...['--experimental-transform-types', '--no-warnings', '--conditions=@agentstration/source'],
        join(import.meta.dirname, '../contract-suite/hold-stdio-server.ts'),
        `"${process.execPath}" "${testMcpServerPath}" --ignore-eof --pid-file "${pidFile()}"; true`,
      ],
      ready: /^connected/,
    });
    const [pid = 0] = await pids();
    expect(runs(pid)).toBe(true);
    // The process itself, not its group: nobody else may be told.
    await executor.kill('SIGKILL');
    await eventually(() => expect(runs(pid)).toBe(false));
  });
});
