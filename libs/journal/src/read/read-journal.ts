import { setTimeout as delay } from 'node:timers/promises';
import { JournalUnavailable } from '@agentstration/governance';
import type { NatsConnection } from '@nats-io/transport-node';
import { Interruptions } from './interruptions.ts';
import { type JournalMessage, type Place, type ReadingSession, openSession } from './reading-session.ts';

/** Messages that arrived together, in order, without a gap. Never empty. */
export interface JournalBatch {
  /** The Journal's identity; the same in every batch of one reading. */
  readonly created: string;
  readonly messages: readonly JournalMessage[];
}

export interface JournalReading {
  /** The first sequence to read: 1, or the one after the checkpoint. */
  readonly from: number;
  /** The creation time that the checkpoint names: any other Journal is refused. Without it the first one seen is kept to. */
  readonly created?: string;
  /** Upper bound of a batch; default 500. */
  readonly maximumBatch?: number;
  /** Ends the reading: the iteration is then over, without an error. */
  readonly signal?: AbortSignal;
  /** Told of every interruption that the reading gets over by itself. */
  readonly onInterruption?: (error: Error) => void;
}

const firstPauseMs = 100;
const longestPauseMs = 2000;

/**
 * Reads the whole Journal, unfiltered and in order, and goes on as it grows, over restarts of the broker, until
 * `signal` aborts. Messages that arrive while the caller works on a batch wait for the next one, up to a bound.
 *
 * @throws JournalBroken when the stream was recreated, is shorter than `from` says, or has a gap: an alarm
 * @throws JournalUnavailable when the connection was closed for good
 */
export async function* readJournal(connection: NatsConnection, reading: JournalReading): AsyncGenerator<JournalBatch, void, void> {
  let place: Place = { next: reading.from, created: reading.created };
  let pause = firstPauseMs;
  const interruptions = new Interruptions(reading.onInterruption);
  const signal = reading.signal ?? new AbortController().signal;
  while (!signal.aborted) {
    const session = await open(connection, place, interruptions);
    if (session) {
      for await (const messages of session.batches(reading.maximumBatch ?? 500, signal)) {
        yield { created: session.created, messages };
        pause = firstPauseMs;
      }
      place = { next: session.next, created: session.created };
      if (session.interruption) interruptions.report(session.interruption, performance.now());
    }
    if (connection.isClosed() && !signal.aborted) throw new JournalUnavailable('the connection is closed');
    await delay(pause, undefined, { signal }).catch(() => undefined);
    pause = Math.min(pause * 2, longestPauseMs);
  }
}

async function open(connection: NatsConnection, place: Place, interruptions: Interruptions): Promise<ReadingSession | undefined> {
  try {
    const session = await openSession(connection, place);
    interruptions.over();
    return session;
  } catch (error) {
    interruptions.report(error, performance.now());
    return undefined;
  }
}
