import type { NatsConnection, Status } from '@nats-io/transport-node';

export interface ConnectionListener {
  down(): void;
  up(): void;
}

/** Tells when the connection is lost and when it is back. Answers a function that ends it. */
export function watchConnection(connection: NatsConnection, listener: ConnectionListener): () => void {
  // The client declares an iterable; only its own `stop` ends one that waits for the next status.
  const statuses = connection.status() as AsyncIterable<Status> & { stop(): void };
  void follow(statuses, listener);
  return () => statuses.stop();
}

async function follow(statuses: AsyncIterable<Status>, listener: ConnectionListener): Promise<void> {
  for await (const status of statuses) {
    if (status.type === 'disconnect' || status.type === 'staleConnection' || status.type === 'close') listener.down();
    if (status.type === 'reconnect') listener.up();
  }
}
