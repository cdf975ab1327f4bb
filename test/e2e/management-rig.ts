import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { provisionStreams } from '@agentstration/journal';
import { type NatsServer, type PostgresServer, startNatsServer, startPostgres } from '@agentstration/local-servers';
import { ManagementApiModule } from '@agentstration/management-api';
import { type Configuration, type Role, createService, developmentToken, loadConfiguration } from '@agentstration/service-kit';
import { migrate } from '@agentstration/store';
import { type NatsConnection, connect } from '@nats-io/transport-node';
import { type DynamicModule, Module } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';

/** Who calls, and where. */
export interface Caller {
  readonly workspace?: string;
  readonly role?: Role;
  readonly principal?: string;
}
export interface Call extends Caller {
  /** Sent as JSON, unless it is text. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string | null;
}
/** What answers hold, all kinds together: a test reads what its answer has. */
export interface AnswerBody {
  readonly code: string;
  readonly errors?: readonly { readonly pointer: string; readonly code: string }[];
  readonly items: readonly AnswerBody[];
  readonly continue: string | null;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string; readonly generation: number };
  readonly kind: string;
  readonly definition: Record<string, unknown>;
  readonly status: unknown;
  readonly generation: number;
  readonly changedBy: string;
  readonly deletion: unknown;
  readonly runId: string;
  readonly toolCalls: readonly { readonly toolCallId: string; readonly requestId: string; readonly state: string }[];
}
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, as the test knows it to be; undefined for an empty one. */
  readonly body: AnswerBody;
  readonly etag: string;
}

/** The management API in this process, with a real PostgreSQL and a real NATS server. */
export interface ManagementRig {
  readonly url: string;
  readonly configuration: Configuration;
  readonly application: NestExpressApplication;
  readonly postgres: PostgresServer;
  readonly nats: NatsServer;
  /** A connection of the test's own. */
  readonly connection: NatsConnection;
  /** Superuser access to the service's database. */
  readonly databaseUrl: string;
  call(method: string, path: string, call?: Call): Promise<Answered>;
  token(caller?: Caller): Promise<string>;
  /** Log lines so far. */
  logged(): Record<string, unknown>[];
  stop(): Promise<void>;
}

@Module({})
class RigModule {}

/** `beside` are modules that run in the same process, as in the standalone host. */
export async function startManagement(
  environment: NodeJS.ProcessEnv = {},
  beside: (configuration: Configuration) => DynamicModule[] = () => [],
): Promise<ManagementRig> {
  const directory = await mkdtemp(join(tmpdir(), 'management-'));
  const [postgres, nats] = await Promise.all([startPostgres(), startNatsServer()]);
  const databaseUrl = await postgres.createDatabase('management');
  await migrate(databaseUrl);
  const configuration = loadConfiguration({
    environment: {
      Agentstration__Database__Url: databaseUrl,
      Agentstration__Nats__Servers__0: nats.url,
      Agentstration__Authentication__Mode: 'Development',
      Agentstration__DataDirectory: directory,
      ...environment,
    },
    directory,
  });
  const connection = await connect({ servers: nats.url });
  const { Journal, ToolExecution } = configuration;
  await provisionStreams(connection, { replicas: 1, journalMaximumBytes: Journal.MaximumBytes, ackWaitMs: ToolExecution.AckWaitMs });
  const lines: string[] = [];
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (lines.push(String(chunk)), done()) });
  const logger = pino({ level: 'info' }, sink);
  const module = { module: RigModule, imports: [ManagementApiModule.register(configuration, logger), ...beside(configuration)] };
  const application = await createService(module, { name: 'management-api', configuration, logger });
  await application.listen(0, '127.0.0.1');
  const { port } = application.getHttpServer().address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const tokens = new Map<string, Promise<string>>();
  const token = ({ workspace = 'demo', role = 'admin', principal = 'ada' }: Caller = {}): Promise<string> => {
    const key = [workspace, role, principal].join();
    const made =
      tokens.get(key) ?? developmentToken({ dataDirectory: directory, tenant: 'acme', workspaces: [workspace], role, principal });
    tokens.set(key, made);
    return made;
  };
  return {
    ...{ url, configuration, application, postgres, nats, connection, databaseUrl, token },
    call: async (method, path, call = {}) =>
      send(url + path, { method, call, token: call.token === undefined ? await token(call) : call.token }),
    logged: () => lines.flatMap((chunk) => chunk.trim().split('\n')).map((line) => JSON.parse(line) as Record<string, unknown>),
    stop: async () => {
      await application.close();
      await connection.close();
      await Promise.all([postgres.stop(), nats.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function send(url: string, { method, call, token }: { method: string; call: Call; token: string | null }): Promise<Answered> {
  const { body, headers = {} } = call;
  const response = await fetch(url, {
    method,
    headers: {
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  const etag = response.headers.get('etag') ?? '';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (text !== '' && isJson ? JSON.parse(text) : undefined) as AnswerBody,
    etag,
  };
}

/** The manifest of a hook that denies. */
export const hook = (name: string, definition: object = {}, metadata: object = {}) => ({
  apiVersion: 'agentstration.io/v1',
  kind: 'ToolExecutionHook',
  metadata: { name, ...metadata },
  definition: { displayName: name, handler: 'deny', configuration: { code: 'blocked', message: 'Not here.' }, ...definition },
});

export const provider = (name: string, definition: object = {}) => ({
  apiVersion: 'agentstration.io/v1',
  kind: 'ToolProvider',
  metadata: { name },
  definition: { displayName: name, providerType: 'mcp', mcp: { transport: 'stdio', profile: 'everything' }, ...definition },
});
