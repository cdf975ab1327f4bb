import type { Fact, ToolCallKey } from '@agentstration/contracts';
import type { Acknowledgement } from '../gate/acknowledgement.ts';

/** A fact with its place in the Journal. */
export interface RecordedFact {
  /** Sequence in the stream: strictly increasing, assigned by the broker. */
  readonly sequence: number;
  /** The sequence that the fact before it on the same subject had; 0 for the first: the fence it was published with. */
  readonly previousSequence: number;
  readonly fact: Fact;
}

/** The last message of a subject, as bytes: for a byte for byte comparison. */
export interface StoredMessage {
  readonly sequence: number;
  readonly previousSequence: number;
  readonly payload: Uint8Array;
}

/**
 * What one publish came to. `unknown`: nobody can tell; the fact may still land later.
 * `refused`: this publish was not stored.
 */
export type AppendOutcome =
  | { readonly kind: 'acknowledged'; readonly acknowledgement: Acknowledgement }
  | {
      readonly kind: 'refused';
      readonly reason: 'wrong_last_sequence' | 'journal_full' | 'too_large' | 'unavailable' | 'not_verified' | 'error';
      readonly detail: string;
    }
  | { readonly kind: 'unknown'; readonly detail: string };

/** One fact on its way into the Journal. */
export interface Append {
  readonly subject: string;
  /** The exact bytes to store. */
  readonly payload: Uint8Array;
  /** The fence: the sequence of the fact before it on this subject, 0 for the first. */
  readonly expectedLastSequence: number;
}

/** The Journal could not be read. */
export class JournalUnavailable extends Error {
  constructor(detail: string, options?: ErrorOptions) {
    super(`The Journal cannot be read: ${detail}`, options);
    this.name = 'JournalUnavailable';
  }
}

/**
 * The stream of facts, as the executor needs it. Adapters report what the broker said and judge nothing.
 * `append` never rejects; reads go to the stream's leader and reject with {@link JournalUnavailable}.
 */
export interface Journal {
  /** One publish, one attempt, no retry of its own. */
  append(append: Append): Promise<AppendOutcome>;
  /** The newest message of a subject, undefined when there is none. */
  readLast(subject: string): Promise<StoredMessage | undefined>;
  /**
   * Every fact of a Tool Call in journal order. A message that cannot be understood rejects with
   * {@link JournalUnavailable}: nothing may be decided on half a history.
   */
  readToolCall(call: ToolCallKey): Promise<readonly RecordedFact[]>;
}
