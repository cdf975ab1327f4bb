export { JetStreamJournal, type JetStreamJournalOptions } from './append/jetstream-journal.ts';
export { type Provisioned, ProvisioningRefused, provisionStreams } from './provision/provision-streams.ts';
export { type StreamSettings, requestConsumerName } from './provision/stream-definitions.ts';
export { type JournalState, journalState } from './read/journal-state.ts';
export { JournalBroken } from './read/journal-broken.ts';
export { type JournalBatch, type JournalReading, readJournal } from './read/read-journal.ts';
export type { JournalMessage } from './read/reading-session.ts';
export type { Durability } from './verify/durability-reader.ts';
export { type JournalStatus, JournalVerifier, type JournalVerifierOptions } from './verify/journal-verifier.ts';
