import { join } from 'node:path';
import { isPortFree, startNatsServer, startPostgres, type NatsServer, type PostgresServer } from '@agentstration/local-servers';
import type { PartialConfiguration } from '@agentstration/service-kit';
import type { Closing } from './closing.ts';
import { keepRunning } from './keep-running.ts';

interface Host {
  readonly dataDirectory: string;
  /** What the user gave: a server that is named there is used and not started. */
  readonly given: PartialConfiguration;
  readonly closing: Closing;
  readonly onTrouble: (message: string) => void;
  readonly onLost: (error: unknown) => void;
}

/** Where clients look for a NATS server that nobody told them about. */
const usualNatsPort = 4222;

/** Starts the servers that the configuration does not name, and answers the configuration that names them. */
export async function startInfrastructure(host: Host): Promise<PartialConfiguration> {
  // One after the other: when one fails, what the other has started is known, and ended. A missing NATS server is the likelier failure.
  const Nats = await provideNats(host);
  const Database = await provideDatabase(host);
  return { ...(Database && { Database }), ...(Nats && { Nats }) };
}

async function provideDatabase(host: Host): Promise<PartialConfiguration['Database'] | undefined> {
  const { Url, UrlFile } = host.given.Database ?? {};
  if (Url !== undefined || UrlFile !== undefined) return undefined;
  const postgres = await startPostgres({ dataDirectory: join(host.dataDirectory, 'postgres') });
  own(host, 'PostgreSQL', postgres);
  return { Url: await postgres.provideDatabase('agentstration') };
}

async function provideNats(host: Host): Promise<PartialConfiguration['Nats'] | undefined> {
  if (host.given.Nats?.Servers !== undefined) return undefined;
  const usual = (await isPortFree(usualNatsPort)) ? { port: usualNatsPort } : {};
  const nats = await startNatsServer({ dataDirectory: join(host.dataDirectory, 'nats'), ...usual });
  own(host, 'The NATS server', nats);
  return { Servers: [nats.url], MonitoringUrls: [nats.monitoringUrl] };
}

function own({ closing, onTrouble, onLost }: Host, name: string, server: PostgresServer | NatsServer): void {
  const leave = keepRunning(server, { name, onTrouble, onLost });
  closing.add(() => {
    leave();
    return server.stop();
  });
}
