import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionStreams } from '@agentstration/journal';
import { eventually, freePort, removePostgres, startNatsServer, startPostgres } from '@agentstration/local-servers';
import { developmentToken } from '@agentstration/service-kit';
import { migrate } from '@agentstration/store';
import { connect } from '@nats-io/transport-node';
import { scope } from './seed.ts';

export type BenchServers = Awaited<ReturnType<typeof startBenchServers>>;

const programs = {
  api: join(import.meta.dirname, '../../../apps/management-api/dist/main.js'),
  bare: join(import.meta.dirname, 'bare-server.ts'),
};

/** A database and a broker as in production, the API, and the bare server beside it; each in a process of its own. */
export async function startBenchServers() {
  const directory = await mkdtemp(join(tmpdir(), 'management-bench-'));
  const postgres = await startPostgres({ dataDirectory: join(directory, 'postgres') });
  const nats = await startNatsServer({ dataDirectory: join(directory, 'nats') });
  const databaseUrl = await postgres.createDatabase('bench');
  await migrate(databaseUrl);
  const connection = await connect({ servers: nats.url });
  await provisionStreams(connection, { replicas: 1, journalMaximumBytes: 1024 ** 3, ackWaitMs: 10_000 });
  await connection.close();
  const environment = {
    PATH: process.env.PATH,
    Agentstration__Database__Url: databaseUrl,
    Agentstration__Nats__Servers__0: nats.url,
    Agentstration__Authentication__Mode: 'Development',
    Agentstration__DataDirectory: directory,
    // Counted like any other principal's, and never too many.
    Agentstration__RateLimit__Requests: '1000000',
  };
  const [api, bare] = await Promise.all([startServer(programs.api, environment), startServer(programs.bare, environment)]);
  const { tenantId: tenant, workspaceId } = scope;
  const token = await developmentToken({ dataDirectory: directory, tenant, workspaces: [workspaceId], role: 'admin' });
  return {
    ...{ databaseUrl, token, api: api.url, bare: bare.url },
    stop: async () => {
      await Promise.all([api.stop(), bare.stop()]);
      await Promise.all([postgres.stop(), nats.stop()]);
      await removePostgres(join(directory, 'postgres'));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** What it prints, its access log that is, goes where a container's log goes: out of the process. */
async function startServer(program: string, environment: NodeJS.ProcessEnv) {
  const port = await freePort();
  const env = { ...environment, Agentstration__Http__Port: String(port) };
  const options = (process.env.BENCH_PROFILE ?? '') === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${process.env.BENCH_PROFILE}`];
  const child: ChildProcess = spawn(process.execPath, [...options, program], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const url = `http://127.0.0.1:${port}`;
  const isAlive = async () => {
    if ((await fetch(`${url}/livez`)).status !== 200) throw new Error(`${program} is not ready`);
  };
  const answers = eventually(isAlive, { within: 60_000 });
  await answers.catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
    },
  };
}
