import type { NatsConnection } from '@nats-io/transport-node';

/** One message of the Journal, readable as a fact or not. */
export interface JournalMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly payload: Uint8Array;
  /** When the broker stored it, RFC 3339. */
  readonly timestamp: string;
}

/** Messages that arrived together, in order, without a gap. Never empty. */
export interface JournalBatch {
  /** The Journal's identity; the same in every batch of one reading. */
  readonly created: string;
  readonly messages: readonly JournalMessage[];
}

export interface JournalReading {
  /** The first sequence to read: 1, or the one after the checkpoint. */
  readonly from: number;
  /** The creation time that the checkpoint names: any other Journal is refused. */
  readonly created?: string;
  /** Upper bound of a batch; default 500. */
  readonly maximumBatch?: number;
  /** Ends the reading. */
  readonly signal?: AbortSignal;
  /** Told of every interruption that the reading gets over by itself. */
  readonly onInterruption?: (error: Error) => void;
}

/** The Journal is not the one that was read before, or lacks messages: reading on could only be wrong. */
export class JournalBroken extends Error {
  constructor(
    readonly kind: 'recreated' | 'shorter' | 'gap',
    detail: string,
  ) {
    super(`The Journal cannot be trusted: ${detail}`);
    this.name = 'JournalBroken';
  }
}

/**
 * Reads the whole Journal, unfiltered and in order, and goes on as it grows, over restarts of the broker, until
 * `signal` aborts. Messages that arrive while the caller works on a batch wait for the next, up to a bound.
 *
 * @throws JournalBroken when the stream was recreated, is shorter than `from` says, or has a gap: an alarm.
 */
// eslint-disable-next-line @typescript-eslint/require-await
export async function* readJournal(_connection: NatsConnection, _reading: JournalReading): AsyncGenerator<JournalBatch, void, void> {
  yield* [];
}
