import { type NatsServer, type NatsServerOptions, startNatsServer } from '@agentstration/local-servers';
import { type ConnectionOptions, type NatsConnection, connect } from '@nats-io/transport-node';
import { JetStreamJournal } from '../append/jetstream-journal.ts';
import { provisionStreams } from '../provision/provision-streams.ts';
import type { StreamSettings } from '../provision/stream-definitions.ts';
import { JournalVerifier } from '../verify/journal-verifier.ts';

/** Small enough for any laptop. */
export const testSettings: StreamSettings = {
  replicas: 1,
  journalMaximumBytes: 64 * 1024 * 1024,
  requestsMaximumBytes: 16 * 1024 * 1024,
  ackWaitMs: 10_000,
};

/** A writer of the Journal, as a service has it: a connection of its own, verified. */
export interface Writer {
  readonly connection: NatsConnection;
  readonly verifier: JournalVerifier;
  readonly journal: JetStreamJournal;
}

/** A real broker with provisioned streams, for specs. */
export interface JournalServer {
  readonly server: NatsServer;
  connect(options?: ConnectionOptions): Promise<NatsConnection>;
  writer(options?: { publishTimeoutMs?: number; connection?: NatsConnection }): Promise<Writer>;
  stop(): Promise<void>;
}

export async function startJournalServer(options: NatsServerOptions = {}, settings = testSettings): Promise<JournalServer> {
  const server = await startNatsServer(options);
  const ends: (() => Promise<void>)[] = [];
  const dial = async (own: ConnectionOptions = {}): Promise<NatsConnection> => {
    const connection = await connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 50, ...own });
    ends.push(() => connection.close());
    return connection;
  };
  const writer: JournalServer['writer'] = async ({ publishTimeoutMs = 800, connection } = {}) => {
    const own = connection ?? (await dial());
    const verifier = new JournalVerifier({
      connection: own,
      requiredDurability: 'process',
      monitoringUrls: [],
      timeoutMs: publishTimeoutMs,
    });
    ends.unshift(() => verifier.stop());
    await verifier.start();
    return { connection: own, verifier, journal: new JetStreamJournal({ connection: own, verifier, publishTimeoutMs }) };
  };
  await provisionStreams(await dial(), settings);
  return { server, connect: dial, writer, stop: () => stopAll(ends, server) };
}

async function stopAll(ends: (() => Promise<void>)[], server: NatsServer): Promise<void> {
  await Promise.all(ends.map((end) => end()));
  await server.stop();
}
