export type { AppendFault } from './append-faults.ts';
export { InMemoryJournal, type InMemoryJournalOptions } from './in-memory-journal.ts';
export type { MemoryMessage } from './memory-stream.ts';
