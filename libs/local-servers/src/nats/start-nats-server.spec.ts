import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { eventually } from '../eventually.ts';
import { startProcess } from '../process/start-process.ts';
import { startNatsServer } from './start-nats-server.ts';

const expectGone = (pid: number) => eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));

async function withStream<T>(url: string, use: (publish: (text: string) => Promise<number>) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: url });
  try {
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'KEPT', subjects: ['kept'] });
    return await use(async (text) => (await jetstream(connection).publish('kept', text)).seq);
  } finally {
    await connection.close();
  }
}

describe('startNatsServer', () => {
  let dataDirectory: string;
  beforeEach(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), 'nats-spec-'));
  });
  afterEach(() => rm(dataDirectory, { recursive: true }));

  it('keeps streams over a kill and a restart on the same port', async () => {
    const nats = await startNatsServer({ dataDirectory });
    expect(await withStream(nats.url, (publish) => publish('one'))).toBe(1);
    await nats.kill();
    await nats.restart();
    expect(await withStream(nats.url, (publish) => publish('two'))).toBe(2);
    const health = await fetch(`${nats.monitoringUrl}/healthz`);
    expect(health.status).toBe(200);
    await nats.stop();
    await expectGone(nats.pid);
  });

  it('removes the streams of a temporary server', async () => {
    const nats = await startNatsServer();
    await withStream(nats.url, (publish) => publish('one'));
    await expect(stat(nats.storeDirectory)).resolves.toBeDefined();
    await nats.stop();
    await expect(stat(nats.storeDirectory)).rejects.toThrow('ENOENT');
  });

  it('has room for a stream that reserves the default maximum of the journal', async () => {
    const nats = await startNatsServer();
    const connection = await connect({ servers: nats.url });
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: 'LARGE', subjects: ['large'], max_bytes: 10 * 1024 ** 3 });
    await connection.close();
    await nats.stop();
  });

  it('does not answer while it is suspended', async () => {
    const nats = await startNatsServer();
    const connection = await connect({ servers: nats.url });
    await nats.suspend();
    await expect(
      Promise.race([connection.flush().then(() => 'answered'), new Promise((resolve) => setTimeout(resolve, 300, 'silent'))]),
    ).resolves.toBe('silent');
    nats.resume();
    await connection.flush();
    await connection.close();
    await nats.stop();
  });

  it('takes accounts and permissions as configuration, and shows what it does not understand', async () => {
    const nats = await startNatsServer({ configuration: 'authorization { user: "demo", password: "secret" }' });
    await expect(connect({ servers: nats.url })).rejects.toThrow(/authorization/i);
    await (await connect({ servers: nats.url, user: 'demo', pass: 'secret' })).close();
    await nats.stop();
    await expect(startNatsServer({ configuration: 'no_such_setting: 1' })).rejects.toThrow('no_such_setting');
  });

  it('refuses a data directory and a port that are in use', async () => {
    const nats = await startNatsServer({ dataDirectory });
    await expect(startNatsServer({ dataDirectory })).rejects.toThrow(`${dataDirectory} is in use by process ${process.pid}`);
    await expect(startNatsServer({ port: nats.port })).rejects.toThrow(
      `The NATS server cannot listen on 127.0.0.1:${nats.port}: the port is in use.`,
    );
    await nats.stop();
  });

  it('ends with the process that started it, even one that was killed', async () => {
    const script = `
      import { startNatsServer } from ${JSON.stringify(new URL('start-nats-server.ts', import.meta.url).href)};
      const kept = await startNatsServer({ dataDirectory: ${JSON.stringify(dataDirectory)} });
      const suspended = await startNatsServer();
      await suspended.suspend();
      console.log('started', kept.pid, suspended.pid);`;
    const args = ['--no-warnings', '--input-type=module', '-e', script];
    const owner = await startProcess({ command: process.execPath, arguments: args, ready: /started/ });
    const pids = owner.readyLine.split(' ').slice(1).map(Number);
    await owner.kill();
    for (const pid of pids) await expectGone(pid);
    await (await startNatsServer({ dataDirectory })).stop();
  });
});
