import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  eventually,
  freePort,
  isPortFree,
  removePostgres,
  startNatsServer,
  startPostgres,
  startProcess,
  type RunningProcess,
} from '@agentstration/local-servers';
import { streams } from '@agentstration/contracts';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';
import { verifies } from '@agentstration/test/verifies';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const enter = join(root, 'scripts/enter.mjs');
const readyLine = /^agentstration ready http=(\S+) nats=(\S+)$/;

interface Host {
  readonly process: RunningProcess;
  readonly http: string;
  readonly nats: string;
}

const hook = {
  apiVersion: 'agentstration.io/v1',
  kind: 'ToolExecutionHook',
  metadata: { name: 'block-echo' },
  definition: {
    displayName: 'Block echo',
    enabled: true,
    order: 100,
    handler: 'deny',
    selector: { tools: ['everything.echo'] },
    configuration: { code: 'echo_denied', message: 'Not here.' },
  },
};

describe('the standalone host', () => {
  let data: string;
  let hosts: Host[] = [];

  beforeEach(async () => {
    // mkdtemp gives 0700: as root, the user of the database cannot get here.
    data = join(await mkdtemp(join(tmpdir(), 'standalone-')), 'data');
  });

  afterEach(async () => {
    await Promise.all(hosts.map(({ process }) => process.stop({ within: 60_000 })));
    hosts = [];
    await removePostgres(join(data, 'postgres'));
    await rm(dirname(data), { recursive: true, force: true });
  });

  const environment = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    AGENTSTRATION_NATS_SERVER: process.env['AGENTSTRATION_NATS_SERVER'],
    AGENTSTRATION_DATA: data,
    Agentstration__Http__Port: '0',
    ...more,
  });

  async function start(more?: NodeJS.ProcessEnv): Promise<Host> {
    const running = await startProcess({
      command: process.execPath,
      arguments: [enter, 'start'],
      environment: environment(more),
      ready: readyLine,
      readyWithin: 120_000,
    });
    const [, http = '', nats = ''] = readyLine.exec(running.readyLine) ?? [];
    const host = { process: running, http, nats };
    hosts.push(host);
    return host;
  }

  async function token(...given: string[]): Promise<string> {
    return (await printToken(...given)).token;
  }

  async function printToken(...given: string[]): Promise<{ token: string; warning: string }> {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [enter, 'token', ...given], { env: environment() });
    expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    return { token: stdout.trim(), warning: stderr };
  }

  const call = (host: Host, bearer: string, path = '/api/toolexecutionhooks', init: RequestInit = {}) =>
    fetch(`${host.http}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    });

  /** Every process whose command line names the data directory, or the cluster that it points to. */
  async function processes(): Promise<string[]> {
    const cluster = await readFile(join(data, 'postgres/cluster-location'), 'utf8').catch(() => data);
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
    return lines.filter((line) => line.includes(data) || line.includes(cluster)).map((line) => line.replaceAll('\0', ' '));
  }

  it(
    verifies('HOST-013', 'lets the commands of an operator find its servers, and only while it runs'),
    async () => {
      const verify = () => promisify(execFile)(process.execPath, [enter, 'projector', 'verify'], { env: environment() });
      const host = await start();
      expect((await verify()).stdout).toContain('read model equals the journal up to sequence 0');
      await host.process.stop({ within: 60_000 });
      await expect(verify()).rejects.toThrow('Agentstration:Database:Url');
    },
    300_000,
  );

  it(
    verifies('HOST-017', 'makes the read model anew that another version made, before it says ready'),
    async () => {
      const host = await start();
      const { Agentstration__Database__Url: url } = JSON.parse(await readFile(join(data, 'host.json'), 'utf8')) as NodeJS.ProcessEnv;
      const database = new pg.Client({ connectionString: url });
      await database.connect();
      await database.query('UPDATE read_model.generation SET format = 0');
      await database.end();
      await host.process.stop({ within: 60_000 });
      const again = await start();
      const answer = await call(again, await token(), '/api/tool-governance');
      expect({ status: answer.status, body: await answer.json() }).toMatchObject({ status: 200, body: { items: [] } });
    },
    300_000,
  );

  it(
    verifies('HOST-014', 'does not make an empty Journal in the place of one that is gone'),
    async () => {
      const host = await start();
      const connection = await connect({ servers: host.nats });
      await (await jetstreamManager(connection, { checkAPI: false })).streams.delete(streams.journal);
      await connection.close();
      await host.process.stop({ within: 60_000 });
      await expect(start()).rejects.toThrow(`The Journal of ${data}, made at`);
    },
    300_000,
  );

  it(
    verifies(
      ['HOST-001', 'HOST-002', 'HOST-003', 'HOST-010', 'HOST-016'],
      'starts, keeps what was written over a restart, and accepts its tokens',
    ),
    async () => {
      const { token: early, warning } = await printToken();
      expect(warning).toContain(`No host runs on ${data}: `);
      const first = await start();
      expect((await printToken()).warning).not.toContain('No host');
      expect((await fetch(`${first.http}/readyz`)).status).toBe(200);
      const created = await call(first, early, undefined, { method: 'POST', body: JSON.stringify(hook) });
      expect({ status: created.status, body: await created.json() }).toMatchObject({ status: 201 });
      const other = await token('--workspace', 'other', '--role', 'viewer');
      expect(await (await call(first, other)).json()).toMatchObject({ items: [] });
      await first.process.stop({ within: 60_000 });
      const second = await start();
      const listed = await call(second, early);
      expect(await listed.json()).toMatchObject({ items: [{ metadata: { name: 'block-echo', generation: 1 } }] });
    },
    300_000,
  );

  it.each(['SIGTERM', 'SIGINT'] as const)(
    verifies('HOST-007', 'ends on %s with exit code 0 and leaves no process'),
    async (signal) => {
      const host = await start();
      expect(await processes()).not.toEqual([]);
      await expect(host.process.stop({ signal, within: 60_000 })).resolves.toEqual({ code: 0, signal: null });
      expect(await processes()).toEqual([]);
    },
    300_000,
  );

  it(
    verifies(['HOST-007', 'HOST-008'], 'leaves no process when it is killed, and starts again; one at a time'),
    async () => {
      const host = await start();
      await expect(start()).rejects.toThrow(new RegExp(`${data} is in use by process \\d+`));
      await host.process.kill();
      await eventually(async () => expect(await processes()).toEqual([]), { within: 60_000 });
      await start();
    },
    300_000,
  );

  it(
    verifies('HOST-005', 'refuses a chosen port that is in use'),
    async () => {
      const port = await freePort();
      const occupant = createServer().listen(port, '127.0.0.1');
      const refused = start({ Agentstration__Http__Port: String(port) });
      await expect(refused).rejects.toThrow(new RegExp(`127\\.0\\.0\\.1:${port}: the port is in use\\. Set Agentstration__Http__Port`));
      occupant.close();
    },
    300_000,
  );

  it(
    verifies('HOST-004', 'takes another port when its default one is in use'),
    async () => {
      const occupant = createServer();
      if (await isPortFree(5100)) await new Promise<void>((resolve) => occupant.listen(5100, '127.0.0.1', resolve));
      const host = await start({ Agentstration__Http__Port: undefined });
      expect(new URL(host.http).port).not.toBe('5100');
      expect((await fetch(`${host.http}/livez`)).status).toBe(200);
      occupant.close();
    },
    300_000,
  );

  it(
    verifies('HOST-006', 'uses the servers that it is given'),
    async () => {
      const [nats, postgres] = await Promise.all([startNatsServer(), startPostgres()]);
      const host = await start({
        Agentstration__Nats__Servers__0: nats.url,
        Agentstration__Database__Url: await postgres.createDatabase('given'),
      });
      expect(host.nats).toBe(nats.url);
      expect(await readdir(data)).not.toEqual(expect.arrayContaining(['nats']));
      expect(await readdir(data)).not.toEqual(expect.arrayContaining(['postgres']));
      expect((await call(host, await token())).status).toBe(200);
      await host.process.stop({ within: 60_000 });
      await Promise.all([nats.stop(), postgres.stop()]);
    },
    300_000,
  );

  it.each<[string, NodeJS.ProcessEnv, RegExp]>([
    [
      'a database that is not there',
      { Agentstration__Database__Url: 'postgres://me:CANARY@127.0.0.1:1/mine' },
      /^The database 127\.0\.0\.1:1\/mine \(Agentstration:Database:Url, Agentstration__Database__Url\) cannot be used .* \(ECONNREFUSED\)$/m,
    ],
    [
      'a broker that is not there',
      { Agentstration__Nats__Servers__0: 'nats://127.0.0.1:1' },
      /^No connection to NATS at nats:\/\/127\.0\.0\.1:1 \(Agentstration:Nats:Servers, Agentstration__Nats__Servers\): ECONNREFUSED$/m,
    ],
    [
      'a hook module that is not there',
      { Agentstration__ToolExecution__LocalHookModules__0: '/nowhere.mjs' },
      /^The local hook module \/nowhere\.mjs \(Agentstration:ToolExecution:LocalHookModules\) cannot be loaded .*$/m,
    ],
  ])(
    verifies(['HOST-015', 'SERVICE-007'], 'says in one line what keeps it from starting: %s'),
    async (_what, more, line) => {
      const refused: unknown = await promisify(execFile)(process.execPath, [enter, 'start'], { env: environment(more) }).catch(
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(line) });
      const { stdout, stderr } = refused as { stdout: string; stderr: string };
      expect(`${stdout}${stderr}`).not.toMatch(/\[Nest\]|^\s+at |"stack"|CANARY/m);
    },
    300_000,
  );

  it(
    verifies('HOST-009', 'says what to install when there is no NATS server'),
    async () => {
      const nowhere = { AGENTSTRATION_NATS_SERVER: join(data, 'nats-server') };
      await expect(start(nowhere)).rejects.toThrow(/AGENTSTRATION_NATS_SERVER names .*, which is not an executable file/);
    },
    300_000,
  );
});
