import { type JournalBatch, type JournalReading, type JournalState, journalState, readJournal } from '@agentstration/journal';
import type { NatsConnection } from '@nats-io/transport-node';

/** The Journal as the projector reads it. */
export interface JournalSource {
  /** @throws JournalUnavailable */
  state(): Promise<JournalState>;
  /** Unfiltered, in order, without end. @throws JournalBroken, JournalUnavailable */
  read(reading: JournalReading): AsyncIterable<JournalBatch>;
}

export const natsJournalSource = (connection: NatsConnection): JournalSource => ({
  state: () => journalState(connection),
  read: (reading) => readJournal(connection, reading),
});
