import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort, startNatsServer, startPostgres } from '@agentstration/local-servers';
import { type ComposeFile, deploy, readCompose, root } from './read-compose.ts';
import { rolesStatements, runStatements } from './roles-statements.ts';

const run = promisify(execFile);
const small = String(64 * 1024 ** 2);

/** Settings that the compose file's own network and broker would make needless. */
const onThisMachine = {
  Agentstration__Http__Host: '127.0.0.1',
  Agentstration__Journal__RequiredDurability: 'process',
  Agentstration__Journal__MaximumBytes: small,
  Agentstration__Requests__MaximumBytes: small,
};

/** The product as `deploy/compose.yaml` starts it, without containers: its processes, users, passwords and permissions. */
export class Deployment {
  readonly #children = new Map<string, ChildProcess>();
  readonly #ports = new Map<string, number>();

  private constructor(
    private readonly folder: string,
    private readonly compose: ComposeFile,
    private readonly nats: Awaited<ReturnType<typeof startNatsServer>>,
    private readonly postgres: Awaited<ReturnType<typeof startPostgres>>,
  ) {}

  /** Starts broker and database with the users that the deployment gives them. */
  static async start(): Promise<Deployment> {
    const folder = await mkdtemp(join(tmpdir(), 'agentstration-deployment-'));
    await cp(deploy, folder, { recursive: true, filter: (path) => !path.endsWith('/secrets') });
    await run(process.execPath, [join(folder, 'create-secrets.mjs')]);
    const secret = (name: string): string => readFileSync(join(folder, 'secrets', name), 'utf8');
    const postgres = await startPostgres();
    const database = await postgres.createDatabase('agentstration');
    await runStatements(database, await rolesStatements(secret));
    const nats = await startNatsServer({ configuration: await accounts(secret) });
    return new Deployment(folder, await readCompose(), nats, postgres);
  }

  get natsUrl(): string {
    return this.nats.url;
  }

  secret(name: string): string {
    return readFileSync(join(this.folder, 'secrets', name), 'utf8');
  }

  async token(...parameters: string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [join(this.folder, 'create-token.mjs'), ...parameters]);
    return stdout.trim();
  }

  url(service: string, path: string): string {
    return `http://127.0.0.1:${this.#ports.get(service) ?? 0}${path}`;
  }

  /** Runs a service that ends by itself, and answers its exit code and what it printed. */
  async runToEnd(service: string): Promise<{ code: number | null; output: string }> {
    const child = await this.#spawn(service);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, output };
  }

  /** Starts a service that stays, until it says that it is ready. */
  async startService(service: string): Promise<void> {
    const child = await this.#spawn(service);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`${service} ended with ${child.exitCode}: ${output}`);
        const answer = await fetch(this.url(service, '/readyz'));
        if (!answer.ok) throw new Error(`${service} is not ready: ${await answer.text()} ${output}`);
      },
      { within: 90_000 },
    );
  }

  /** SIGTERM; answers the exit code. */
  async stopService(service: string): Promise<number | null> {
    const child = this.#children.get(service);
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    return ended;
  }

  async stop(): Promise<void> {
    for (const child of this.#children.values()) if (child.exitCode === null) child.kill('SIGKILL');
    await Promise.all([this.nats.stop(), this.postgres.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }

  async #spawn(service: string): Promise<ChildProcess> {
    const { command = [], environment = {} } = this.compose.services[service] ?? {};
    const port = await freePort();
    const given = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, this.#here(value)]));
    const database = new URL(this.secret(String(given.Agentstration__Database__UrlFile).split('/').at(-1) ?? ''));
    database.host = new URL(this.postgres.url).host;
    const { Agentstration__Database__UrlFile: _file, ...kept } = given;
    const env = {
      ...{ PATH: process.env.PATH, NODE_ENV: 'production' },
      ...{ ...kept, ...onThisMachine },
      Agentstration__Database__Url: database.href,
      Agentstration__Nats__Servers: JSON.stringify([this.nats.url]),
      Agentstration__Nats__MonitoringUrls: JSON.stringify([this.nats.monitoringUrl]),
      Agentstration__Authentication__JwksFile: join(this.folder, 'secrets/jwks.json'),
      Agentstration__Http__Port: String(port),
    };
    const child = spawn(process.execPath, command.slice(1), { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#children.set(service, child);
    this.#ports.set(service, port);
    return child;
  }

  /** Where a path of a container is found on this machine. */
  #here(value: string): string {
    return value.replace(/^\/run\/secrets\//, `${this.folder}/secrets/`).replace(/^\/etc\/agentstration\//, `${this.folder}/`);
  }
}

/** The accounts of `deploy/nats`, with passwords in place of variables. */
async function accounts(secret: (name: string) => string): Promise<string> {
  const text = await readFile(join(deploy, 'nats/accounts.conf'), 'utf8');
  const workspace = await readFile(join(deploy, 'nats/workspaces/acme.demo.conf'), 'utf8');
  return text
    .replace(/^\s*include .*$/m, () => workspace)
    .replace(/\$AGENTSTRATION_NATS_PASSWORD_([A-Z_]+)/g, (_, user: string) =>
      JSON.stringify(secret(`nats-password-${user.toLowerCase().replaceAll('_', '-')}`)),
    );
}
