import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionStreams } from '@agentstration/journal';
import { removePostgres, startNatsServer, startPostgres } from '@agentstration/local-servers';
import { createDataSource, migrate } from '@agentstration/store';
import { connect } from '@nats-io/transport-node';

const gibibyte = 1024 ** 3;

export type BenchServers = Awaited<ReturnType<typeof startBenchServers>>;

/** A broker and a database of the bench's own, durable as in production. */
export async function startBenchServers() {
  const directory = await mkdtemp(join(tmpdir(), 'projector-bench-'));
  const postgres = await startPostgres({ dataDirectory: join(directory, 'postgres') });
  const nats = await startNatsServer({ dataDirectory: join(directory, 'nats') });
  const databaseUrl = await postgres.createDatabase('bench');
  await migrate(databaseUrl);
  const connection = await connect({ servers: nats.url });
  await provisionStreams(connection, { replicas: 1, journalMaximumBytes: 14 * gibibyte, ackWaitMs: 10_000 });
  const database = createDataSource({ url: databaseUrl, role: 'projector', statementTimeoutMs: 3_600_000 });
  await database.initialize();
  const environment = {
    PATH: process.env.PATH,
    Agentstration__Database__Url: databaseUrl,
    Agentstration__Nats__Servers__0: nats.url,
    Agentstration__Authentication__Mode: 'Development',
    Agentstration__DataDirectory: directory,
    Agentstration__Logging__Level: 'warn',
    Agentstration__Http__Port: '0',
    Agentstration__RateLimit__Requests: '0',
    // What the chart gives the service: memory that is bounded, and used before more is asked for.
    NODE_OPTIONS: '--max-old-space-size=160 --max-semi-space-size=8',
  };
  return {
    ...{ directory, databaseUrl, connection, database, environment },
    stop: async () => {
      await database.destroy();
      await connection.close();
      await Promise.all([postgres.stop(), nats.stop()]);
      await removePostgres(join(directory, 'postgres'));
      await rm(directory, { recursive: true, force: true });
    },
  };
}
