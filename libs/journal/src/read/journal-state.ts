import { streams } from '@agentstration/contracts';
import { JournalUnavailable } from '@agentstration/governance';
import { type StreamInfo, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

/** Which stream the Journal is, and how far it reaches. */
export interface JournalState {
  /** When the stream was created, RFC 3339 with nanoseconds: the Journal's identity. A recreated stream has another. */
  readonly created: string;
  /** 0 or 1 more than {@link lastSequence} while the Journal is empty. */
  readonly firstSequence: number;
  /** 0 while the Journal is empty. */
  readonly lastSequence: number;
  readonly messages: number;
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
export async function journalState(connection: NatsConnection): Promise<JournalState> {
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false });
    return toJournalState(await manager.streams.info(streams.journal));
  } catch (error) {
    throw new JournalUnavailable(error instanceof Error ? error.message : 'no answer', { cause: error });
  }
}

/** What matters of a stream's own account of itself. */
export const toJournalState = ({ created, config, state }: StreamInfo): JournalState => ({
  created,
  firstSequence: state.first_seq,
  lastSequence: state.last_seq,
  messages: state.messages,
  bytes: state.bytes,
  maximumBytes: config.max_bytes,
  replicas: config.num_replicas,
});
