import type { Journal } from '@agentstration/governance';

/** One adapter, fresh and empty, with a second writer of the same stream. */
export interface JournalUnderTest {
  readonly journal: Journal;
  /** Another process's view of the same Journal. */
  readonly other: Journal;
  /** Stores bytes that no fact has, as the fact after `previousSequence`; answers their sequence. */
  storeRaw(subject: string, payload: Uint8Array, previousSequence: number | undefined): Promise<number>;
  dispose(): Promise<void>;
}

/** The tests that every {@link Journal} must pass. */
export function journalContract(_name: string, _start: () => Promise<JournalUnderTest>): void {
  // filled in with the adapters
}
