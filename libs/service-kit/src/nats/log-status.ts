import type { NatsConnection, Status } from '@nats-io/transport-node';
import type { Logger } from 'pino';

/** What an operator wants to know at once; the rest is detail. */
const levels: Readonly<Partial<Record<Status['type'], 'info' | 'warn' | 'error'>>> = {
  disconnect: 'warn',
  staleConnection: 'warn',
  ldm: 'warn',
  slowConsumer: 'warn',
  error: 'error',
  reconnect: 'info',
};

/** Logs what happens to the connection, until it is closed. A status that nobody reads would pile up. */
export async function logStatus(connection: NatsConnection, logger: Logger): Promise<void> {
  for await (const status of connection.status()) {
    const level = levels[status.type] ?? 'debug';
    logger[level]({ status: status.type, server: connection.getServer(), ...errorOf(status) }, 'nats connection');
  }
}

const errorOf = (status: Status): object => (status.type === 'error' ? { err: status.error } : {});
