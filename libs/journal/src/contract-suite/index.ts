export { startCluster } from './journal-cluster.ts';
export { type JournalUnderTest, journalContract } from './journal-contract.ts';
