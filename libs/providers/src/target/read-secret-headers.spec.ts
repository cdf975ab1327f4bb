import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestBench, providerOf } from '../contract-suite/test-bench.ts';
import type { ProviderSecret } from '../options.ts';

let bench: TestBench;
let file: string;
beforeEach(async () => {
  bench = await TestBench.open();
  file = join(bench.directory, 'token');
  await writeFile(file, 'Bearer right\n');
});
afterEach(() => bench.close());

const secretOf = (more: Partial<ProviderSecret> = {}): ProviderSecret => ({
  ValueFile: file,
  Workspaces: ['demo'],
  Hosts: ['127.0.0.1'],
  ...more,
});

/** A server that wants the secret, and a way to call it with that entry. */
async function start(secret: ProviderSecret, headerReferences: Record<string, string> = { Authorization: 'token' }) {
  const server = await bench.serve('--authorization', 'Bearer right');
  const providers = bench.providers({ secrets: { token: secret } });
  const provider = providerOf({ transport: 'streamableHttp', endpoint: server.url, headerReferences });
  return { server, providers, provider, call: () => bench.call(providers, provider, 'ok') };
}

const notPermitted = { kind: 'not_sent', code: 'provider_not_permitted' };

describe('a secret in a header', () => {
  it(verifies('PROV-022', 'is sent to its host, and never shows in events or logs'), async () => {
    const { call } = await start(secretOf());
    expect(await call()).toMatchObject({ kind: 'answered' });
    expect(JSON.stringify([bench.events, bench.logged])).not.toContain('right');
  });

  it(verifies('PROV-022', 'is read fresh: a rotated one is used at once, on a connection of its own'), async () => {
    const { call } = await start(secretOf());
    await writeFile(file, 'Bearer wrong\n');
    expect(await call()).toMatchObject({ kind: 'not_sent' });
    await writeFile(file, 'Bearer right\n');
    expect(await call()).toMatchObject({ kind: 'answered' });
    await writeFile(file, 'Bearer wrong\n');
    expect(await call()).toMatchObject({ kind: 'not_sent' });
  });

  it.each<[string, Partial<ProviderSecret>]>([
    ['another Workspace', { Workspaces: ['other', 'other/demo'] }],
    ['nobody', { Workspaces: [] }],
    ['another host', { Hosts: ['tools.example', '*.0.0.1'] }],
    ['another port of the host', { Hosts: ['127.0.0.1:1'] }],
  ])('is not sent when it is meant for %s', async (_, more) => {
    const { call } = await start(secretOf(more));
    expect(await call()).toEqual(notPermitted);
    expect(await bench.told()).toEqual([]);
  });

  it(verifies('PROV-022', 'looks the same to a stranger whether it exists or not'), async () => {
    const { providers, server } = await start(secretOf({ Workspaces: ['other'] }));
    const failure = (name: string) =>
      providers
        .discover(providerOf({ transport: 'streamableHttp', endpoint: server.url, headerReferences: { Authorization: name } }))
        .catch((error: Error & { code: string }) => [error.code, error.message.replaceAll(name, 'NAME')]);
    expect(await failure('token')).toEqual(await failure('constructor'));
  });

  it(verifies('PROV-022', 'is not sent when its file is missing or holds no header value'), async () => {
    const { call } = await start(secretOf({ ValueFile: join(bench.directory, 'missing') }));
    expect(await call()).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
    const broken = await start(secretOf());
    await writeFile(file, 'one\r\nX-Injected: two');
    expect(await broken.call()).toEqual({ kind: 'not_sent', code: 'provider_unavailable' });
  });

  it.each(['Host', 'Content-Length', 'Transfer-Encoding', 'Mcp-Session-Id', 'Accept', 'bad name', 'x\r\ny'])(
    'is not sent as the header %j',
    async (header) => {
      const { call } = await start(secretOf(), { [header]: 'token' });
      expect(await call()).toEqual(notPermitted);
    },
  );

  it(verifies('PROV-022', 'is not sent over plain http to a public host'), async () => {
    const providers = bench.providers({ secrets: { token: secretOf({ Hosts: ['8.8.8.8'] }) } });
    const provider = providerOf({
      transport: 'streamableHttp',
      endpoint: 'http://8.8.8.8/mcp',
      headerReferences: { Authorization: 'token' },
    });
    expect(await bench.call(providers, provider, 'ok')).toEqual(notPermitted);
  });
});
