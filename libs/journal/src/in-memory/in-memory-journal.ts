import { type ToolCallKey, parseFact, streams, toolCallJournalSubject } from '@agentstration/contracts';
import {
  type Append,
  type AppendOutcome,
  type Journal,
  JournalUnavailable,
  type RecordedFact,
  type StoredMessage,
} from '@agentstration/governance';

/** What goes wrong with one append. `held`: timed out, and lands when {@link InMemoryJournal.landHeld} is called. */
export type AppendFault =
  | 'timed_out_stored'
  | 'timed_out_not_stored'
  | 'held'
  | 'duplicate'
  | 'sequence_zero'
  | 'wrong_stream'
  | 'recreated'
  | 'full'
  | 'too_large'
  | 'unavailable'
  | 'not_verified'
  | 'storage_error';

export interface InMemoryJournalOptions {
  /** Asked once per append, in order. */
  readonly fault?: (append: Append, index: number) => AppendFault | undefined;
  /** Asked once per read: true makes it reject. */
  readonly readFails?: (subject: string, index: number) => boolean;
  /** Awaited before and after the effect of each operation: where a seeded scheduler decides who goes on. */
  readonly turn?: () => Promise<void>;
}

/** The Journal's twin in memory: same port, same fence, scripted faults, no clock. */
export class InMemoryJournal implements Journal {
  readonly #messages: (StoredMessage & { readonly subject: string })[] = [];

  constructor(readonly options: InMemoryJournalOptions = {}) {}

  append(append: Append): Promise<AppendOutcome> {
    void append;
    return Promise.resolve({ kind: 'unknown', detail: 'not built yet' });
  }

  readLast(subject: string): Promise<StoredMessage | undefined> {
    return Promise.resolve(this.#messages.findLast((message) => message.subject === subject));
  }

  readToolCall(call: ToolCallKey): Promise<readonly RecordedFact[]> {
    void [parseFact, streams, toolCallJournalSubject(call), JournalUnavailable];
    return Promise.resolve([]);
  }
}
