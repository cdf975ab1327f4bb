export { JetStreamJournal, type JetStreamJournalOptions } from './append/jetstream-journal.ts';
export { type Durability, type JournalStatus, JournalVerifier, type JournalVerifierOptions } from './verify/journal-verifier.ts';
export { type JournalState, journalState } from './read/journal-state.ts';
export { type JournalBatch, JournalBroken, type JournalMessage, type JournalReading, readJournal } from './read/read-journal.ts';
export {
  type Provisioned,
  ProvisioningRefused,
  type StreamSettings,
  provisionStreams,
  requestConsumerName,
} from './provision/provision-streams.ts';
