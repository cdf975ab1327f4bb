import type { NatsConnection } from '@nats-io/transport-node';

/** Which stream the Journal is, and how far it reaches. */
export interface JournalState {
  /** When the stream was created, RFC 3339 with nanoseconds: the Journal's identity. A recreated stream has another. */
  readonly created: string;
  readonly firstSequence: number;
  /** 0 while the Journal is empty. */
  readonly lastSequence: number;
  readonly bytes: number;
  /** The stream's limit; -1 is none. */
  readonly maximumBytes: number;
  readonly replicas: number;
}

/**
 * Asks the stream's leader.
 *
 * @throws JournalUnavailable when there is no answer or no Journal.
 */
export function journalState(_connection: NatsConnection): Promise<JournalState> {
  return Promise.reject(new Error('not built yet'));
}
