import { mkdir, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort, isPortFree } from '../free-port.ts';
import { PortInUseError } from '../port-in-use-error.ts';
import { lockDirectory } from '../process/lock-directory.ts';
import { startProcess, type Exit, type RunningProcess } from '../process/start-process.ts';
import { stopOrphan } from '../process/stop-orphan.ts';
import { temporaryDirectory } from '../process/temporary-directory.ts';
import { findNatsServer } from './find-nats-server.ts';

export interface NatsServerOptions {
  /** Keeps the streams; without it they are thrown away when the server stops. */
  readonly dataDirectory?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Text at the end of the server's configuration, such as accounts and permissions. */
  readonly configuration?: string;
  /** Text inside the configuration's `jetstream` block, such as `sync_interval: always` (from nats-server 2.10 on). */
  readonly jetStreamConfiguration?: string;
  /** The program; default: what `findNatsServer` finds. */
  readonly program?: string;
}

/** A running NATS server with JetStream (file storage) on the loopback interface. */
export interface NatsServer {
  readonly url: string;
  /** Where `/jsz`, `/varz` and `/healthz` are served. */
  readonly monitoringUrl: string;
  readonly port: number;
  /** Another one after a restart. */
  readonly pid: number;
  readonly storeDirectory: string;
  /** Settles when the process that runs now has ended. */
  readonly exited: Promise<Exit>;
  /** The end of its log. */
  log(): string;
  /** Ends it cleanly, and removes the data of a temporary one. */
  stop(): Promise<void>;
  /** SIGKILL: the data stays as a crash leaves it. */
  kill(): Promise<void>;
  /** SIGSTOP, and waits until every thread stands still: connections stay open and nothing answers. */
  suspend(): Promise<void>;
  /** SIGCONT. */
  resume(): void;
  /** Starts it again with the same ports and data, ending it cleanly first when it runs. */
  restart(): Promise<void>;
}

/** Starts a NATS server that ends when this process ends, however that happens. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const program = options.program ?? (await findNatsServer());
  const home = await (options.dataDirectory === undefined ? temporaryHome() : persistentHome(options.dataDirectory));
  try {
    await stopOrphan({ pidFile: join(home.directory, 'nats-server.pid'), marker: configurationFile(home.directory), signal: 'SIGTERM' });
    return server(home, await launch({ home, program, options }));
  } catch (error) {
    await home.release();
    throw error;
  }
}

interface Home {
  readonly directory: string;
  readonly durable: boolean;
  release(): Promise<void>;
}

async function temporaryHome(): Promise<Home> {
  const { path, remove } = await temporaryDirectory(tmpdir(), 'nats');
  return { directory: path, durable: false, release: remove };
}

async function persistentHome(dataDirectory: string): Promise<Home> {
  const directory = resolve(dataDirectory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return { directory, durable: true, release: await lockDirectory(directory) };
}

interface Launch {
  readonly home: Home;
  readonly program: string;
  readonly options: NatsServerOptions;
}

interface Launched {
  readonly broker: RunningProcess;
  readonly port: number;
  readonly monitoringPort: number;
  readonly again: () => Promise<RunningProcess>;
}

async function launch({ home, program, options }: Launch): Promise<Launched> {
  for (let tries = 1; ; tries += 1) {
    const port = options.port || (await freePort());
    const monitoringPort = await freePort();
    await writeFile(configurationFile(home.directory), await configurationText({ home, options, port, monitoringPort }), { mode: 0o600 });
    const again = () => startBroker(program, home);
    try {
      return { port, monitoringPort, again, broker: await again() };
    } catch (error) {
      const taken = error instanceof Error && error.message.includes('address already in use');
      if (taken && options.port && !(await isPortFree(options.port))) throw new PortInUseError(options.port, 'The NATS server');
      if (!taken || tries === 5) throw error;
    }
  }
}

function startBroker(program: string, home: Home): Promise<RunningProcess> {
  return startProcess({
    command: program,
    arguments: ['--config', configurationFile(home.directory), '--pid', join(home.directory, 'nats-server.pid')],
    ready: /Server is ready/,
    orphanSignal: home.durable ? 'TERM' : 'KILL',
  });
}

const configurationFile = (directory: string) => join(directory, 'nats-server.conf');
const storeDirectory = (directory: string) => join(directory, 'jetstream');

/** Streams reserve their maximum: the default maxima of all streams must fit, however small the disk of a laptop is. */
const leastFileStore = 32 * 1024 ** 3;

async function configurationText({
  home,
  options,
  port,
  monitoringPort,
}: Omit<Launch, 'program'> & { port: number; monitoringPort: number }) {
  const { bavail, bsize } = await statfs(home.directory);
  const maximumFileStore = Math.max(leastFileStore, Math.floor(bavail * bsize * 0.75));
  return [
    `listen: "127.0.0.1:${port}"`,
    `http: "127.0.0.1:${monitoringPort}"`,
    'jetstream {',
    `  store_dir: ${JSON.stringify(storeDirectory(home.directory))}`,
    `  max_file_store: ${maximumFileStore}`,
    `  max_memory_store: ${1024 ** 3}`,
    ...(options.jetStreamConfiguration ?? '').split('\n').map((line) => `  ${line}`),
    '}',
    options.configuration ?? '',
    '',
  ].join('\n');
}

function server(home: Home, { broker: first, port, monitoringPort, again }: Launched): NatsServer {
  let broker = first;
  let stopped: Promise<void> | undefined;
  return {
    url: `nats://127.0.0.1:${port}`,
    monitoringUrl: `http://127.0.0.1:${monitoringPort}`,
    port,
    storeDirectory: storeDirectory(home.directory),
    get pid() {
      return broker.pid;
    },
    get exited() {
      return broker.exited;
    },
    log: () => broker.output(),
    stop: () => (stopped ??= broker.stop().then(() => home.release())),
    kill: async () => void (await broker.kill()),
    suspend: () => broker.suspend(),
    resume: () => broker.signal('SIGCONT'),
    restart: async () => {
      await broker.stop();
      broker = await again();
    },
  };
}
