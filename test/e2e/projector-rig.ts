import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fact, Scope } from '@agentstration/contracts';
import { GovernanceProjectorModule } from '@agentstration/governance-projector';
import { provisionStreams } from '@agentstration/journal';
import { type NatsServer, type PostgresServer, startNatsServer, startPostgres } from '@agentstration/local-servers';
import { type Configuration, type Role, createService, developmentToken, loadConfiguration } from '@agentstration/service-kit';
import { migrate } from '@agentstration/store';
import { jetstream } from '@nats-io/jetstream';
import { type NatsConnection, connect } from '@nats-io/transport-node';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { journalSubject } from '../support/facts.ts';

/** Who asks; defaults to an auditor of workspace `demo`. */
export interface Reader {
  readonly tenant?: string;
  readonly workspace?: string;
  readonly role?: Role;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: null;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: {
    readonly [name: string]: unknown;
    readonly items: readonly Record<string, unknown>[];
    readonly nextSequence: number | null;
  };
}

/** The projector in this process, with a real PostgreSQL and a real NATS server. */
export interface ProjectorRig {
  readonly url: string;
  readonly directory: string;
  readonly configuration: Configuration;
  readonly application: NestExpressApplication;
  readonly postgres: PostgresServer;
  readonly nats: NatsServer;
  readonly connection: NatsConnection;
  readonly databaseUrl: string;
  /** Appends facts to the Journal; answers the sequence of the last. */
  publish(scope: Scope, ...facts: readonly Fact[]): Promise<number>;
  publishRaw(subject: string, text: string): Promise<number>;
  get(path: string, reader?: Reader): Promise<Answered>;
  /** The answer's stream as it comes. */
  open(path: string, reader?: Reader & { readonly signal?: AbortSignal }): Promise<Response>;
  /** The environment of a further process on the same servers. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export const demo: Scope = { tenantId: 'acme', workspaceId: 'demo' };
export const neighbour: Scope = { tenantId: 'acme', workspaceId: 'neighbour' };

export async function startProjectorRig(more: Readonly<Record<string, string>> = {}): Promise<ProjectorRig> {
  const directory = await mkdtemp(join(tmpdir(), 'projector-'));
  const [postgres, nats] = await Promise.all([startPostgres(), startNatsServer()]);
  const databaseUrl = await postgres.createDatabase('projector');
  await migrate(databaseUrl);
  const environment = {
    Agentstration__Database__Url: databaseUrl,
    Agentstration__Nats__Servers__0: nats.url,
    Agentstration__Authentication__Mode: 'Development',
    Agentstration__DataDirectory: directory,
    Agentstration__Logging__Level: 'fatal',
    ...more,
  };
  const configuration = loadConfiguration({ environment, directory });
  const connection = await connect({ servers: nats.url });
  await provisionStreams(connection, { replicas: 1, journalMaximumBytes: 256 * 1024 ** 2, ackWaitMs: 10_000 });
  const application = await createService(GovernanceProjectorModule.register(configuration), {
    name: 'governance-projector',
    configuration,
  });
  await application.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${(application.getHttpServer().address() as AddressInfo).port}`;
  const client = jetstream(connection);
  const publishRaw = async (subject: string, text: string) => (await client.publish(subject, text)).seq;
  const open = async (path: string, { signal, ...reader }: Reader & { readonly signal?: AbortSignal } = {}) => {
    const { tenant = 'acme', workspace = 'demo', role = 'auditor', headers = {}, token } = reader;
    const bearer = token ?? (await developmentToken({ dataDirectory: directory, tenant, workspaces: [workspace], role }));
    const authorization: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${bearer}` };
    return fetch(url + path, { headers: { ...authorization, ...headers }, ...(signal && { signal }) });
  };
  return {
    ...{ url, directory, configuration, application, postgres, nats, connection, databaseUrl, environment, open, publishRaw },
    publish: async (scope, ...facts) => {
      let sequence = 0;
      for (const fact of facts) sequence = await publishRaw(journalSubject(scope, fact), JSON.stringify(fact));
      return sequence;
    },
    get: async (path, reader) => {
      const response = await open(path, reader);
      const text = await response.text();
      const body = (/[/+]json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined) as Answered['body'];
      return { status: response.status, headers: response.headers, text, body };
    },
    stop: async () => {
      await application.close();
      await connection.close();
      await Promise.all([postgres.stop(), nats.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
