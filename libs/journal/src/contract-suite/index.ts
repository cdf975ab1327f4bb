export { type JournalUnderTest, journalContract } from './journal-contract.ts';
