import { chmod, cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { startProcess } from '../process/start-process.ts';
import { removePostgres } from './cluster-home.ts';
import { startPostgres } from './start-postgres.ts';

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>({ text, rowMode: 'array' } as never)).rows;
  } finally {
    await client.end();
  }
}

const expectGone = (pid: number) => eventually(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));

describe('startPostgres', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'postgres-spec-'));
    // Root's database runs as a system user, which must get to what is tested without a pointer.
    await chmod(directory, 0o711);
  });
  afterEach(async () => {
    await removePostgres(join(directory, 'data'));
    await rm(directory, { recursive: true });
  });

  it('starts a database that is gone when it stops', async () => {
    const postgres = await startPostgres();
    const url = await postgres.createDatabase('odd "name"');
    expect(await query(url, 'SELECT current_database(), version() LIKE $$PostgreSQL 18%$$')).toEqual([['odd "name"', true]]);
    expect(await postgres.provideDatabase('odd "name"')).toBe(url);
    const [[cluster]] = (await query(url, 'SHOW data_directory')) as [[string]];
    await postgres.stop();
    await expectGone(postgres.pid);
    await expect(stat(cluster)).rejects.toThrow('ENOENT');
  });

  it('wants a password and listens on the loopback interface only', async () => {
    const postgres = await startPostgres();
    const guess = new URL(postgres.url);
    guess.password = 'postgres';
    await expect(query(guess.href, 'SELECT 1')).rejects.toThrow('password authentication failed');
    expect(await query(postgres.url, 'SHOW listen_addresses')).toEqual([['127.0.0.1']]);
    await postgres.stop();
  });

  it('keeps data over a restart, a kill, and another start; writes durably; shows the password to its owner only', async () => {
    const dataDirectory = join(directory, 'data');
    const first = await startPostgres({ dataDirectory });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    expect(await query(first.url, 'SHOW fsync')).toEqual([['on']]);
    await first.restart();
    expect(await query(first.url, 'TABLE kept')).toEqual([[42]]);
    await first.kill();
    await first.stop();
    const port = await freePort();
    const second = await startPostgres({ dataDirectory, port });
    expect(new URL(second.url).port).toBe(String(port));
    expect(await query(second.url, 'TABLE kept')).toEqual([[42]]);
    await second.stop();
    expect((await stat(join(dataDirectory, 'password'))).mode & 0o777).toBe(0o600);
  });

  it('keeps data where only root can get to the data directory', async () => {
    await chmod(directory, 0o700);
    const dataDirectory = join(directory, 'data');
    const first = await startPostgres({ dataDirectory });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await startPostgres({ dataDirectory });
    expect(await query(second.url, 'TABLE kept')).toEqual([[42]]);
    await second.stop();
  });

  it('takes a cluster along whose folder was closed to its user later', async () => {
    const dataDirectory = join(directory, 'data');
    const first = await startPostgres({ dataDirectory });
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    await chmod(directory, 0o700);
    const second = await startPostgres({ dataDirectory });
    expect(await query(second.url, 'TABLE kept')).toEqual([[42]]);
    await second.stop();
  });

  it('is removed with all of its files, also where they had to lie elsewhere', async () => {
    const dataDirectory = join(directory, 'data');
    await chmod(directory, 0o700);
    const postgres = await startPostgres({ dataDirectory });
    const [[cluster]] = (await query(postgres.url, 'SHOW data_directory')) as [[string]];
    await postgres.stop();
    const copy = join(directory, 'copy');
    await cp(dataDirectory, copy, { recursive: true });
    await removePostgres(copy);
    await expect(stat(cluster)).resolves.toBeDefined();
    await removePostgres(dataDirectory);
    for (const gone of [cluster, dataDirectory, copy]) await expect(stat(gone)).rejects.toThrow('ENOENT');
    await removePostgres(dataDirectory);
  });

  it('refuses a data directory and a port that are in use', async () => {
    const dataDirectory = join(directory, 'data');
    const postgres = await startPostgres({ dataDirectory });
    await expect(startPostgres({ dataDirectory })).rejects.toThrow(`${dataDirectory} is in use by process ${process.pid}`);
    await expect(startPostgres({ port: postgres.port })).rejects.toThrow(`cannot listen on 127.0.0.1:${postgres.port}: the port is in use`);
    await postgres.stop();
  });

  it('ends with the process that started it, even a killed one, and starts again on the same data', async () => {
    const dataDirectory = join(directory, 'data');
    const script = `
      import { startPostgres } from ${JSON.stringify(new URL('start-postgres.ts', import.meta.url).href)};
      const kept = await startPostgres({ dataDirectory: ${JSON.stringify(dataDirectory)} });
      const temporary = await startPostgres();
      console.log('started', kept.pid, temporary.pid);`;
    const args = ['--no-warnings', '--input-type=module', '-e', script];
    const owner = await startProcess({ command: process.execPath, arguments: args, ready: /started/ });
    const pids = owner.readyLine.split(' ').slice(1).map(Number);
    await owner.kill();
    const next = await startPostgres({ dataDirectory });
    expect(await query(next.url, 'SELECT 1')).toEqual([[1]]);
    await next.stop();
    for (const pid of pids) await expectGone(pid);
  });

  it('takes over from a server that was left behind', async () => {
    const dataDirectory = join(directory, 'data');
    const postgres = await startPostgres({ dataDirectory });
    const left = postgres.pid;
    // Its owner lost the claim without ending it, as when the watching shell was killed too.
    await rm(join(dataDirectory, 'lock'));
    const next = await startPostgres({ dataDirectory });
    await expectGone(left);
    expect(await query(next.url, 'SELECT 1')).toEqual([[1]]);
    await next.stop();
    await postgres.stop();
  });
});
