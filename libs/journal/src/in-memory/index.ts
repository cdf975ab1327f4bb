export { type AppendFault, InMemoryJournal, type InMemoryJournalOptions } from './in-memory-journal.ts';
