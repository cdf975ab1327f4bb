import { journalContract } from '../contract-suite/journal-contract.ts';
import { InMemoryJournal } from './in-memory-journal.ts';

journalContract(
  'InMemoryJournal',
  () => {
    const journal = new InMemoryJournal();
    return Promise.resolve({
      journal,
      other: journal.anotherWriter(),
      storeUnfenced: (subject, payload) => Promise.resolve(journal.storeRaw({ subject, payload, previousSequence: undefined })),
      dispose: () => Promise.resolve(),
    });
  },
  200,
);
