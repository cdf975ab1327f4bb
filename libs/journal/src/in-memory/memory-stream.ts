import type { Append } from '@agentstration/governance';

/** One message as a stream keeps it. */
export interface MemoryMessage {
  readonly sequence: number;
  /** Undefined: it was published without a fence, by somebody else. */
  readonly previousSequence: number | undefined;
  readonly subject: string;
  readonly payload: Uint8Array;
}

/** What a broker does for the Journal: numbers messages, keeps them, and holds the fence. */
export class MemoryStream {
  #messages = new Map<number, MemoryMessage>();
  #lastOfSubject = new Map<string, number>();
  #lastSequence = 0;
  #held: Append[] = [];

  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** In journal order. */
  get messages(): readonly MemoryMessage[] {
    return [...this.#messages.values()];
  }

  at(sequence: number): MemoryMessage | undefined {
    return this.#messages.get(sequence);
  }

  lastOf(subject: string): MemoryMessage | undefined {
    return this.#messages.get(this.#lastOfSubject.get(subject) ?? 0);
  }

  /** Stores the append if its fence holds. Answers the sequence, undefined when the fence is lost. */
  store({ subject, payload, expectedLastSequence }: Append): number | undefined {
    if ((this.#lastOfSubject.get(subject) ?? 0) !== expectedLastSequence) return undefined;
    return this.put({ subject, payload, previousSequence: expectedLastSequence });
  }

  /** Stores without asking. */
  put(message: Omit<MemoryMessage, 'sequence'>): number {
    const sequence = (this.#lastSequence += 1);
    this.#messages.set(sequence, { ...message, payload: message.payload.slice(), sequence });
    this.#lastOfSubject.set(message.subject, sequence);
    return sequence;
  }

  hold(append: Append): void {
    this.#held.push({ ...append, payload: append.payload.slice() });
  }

  /** Lets what was held arrive, in order. Answers how many were stored. */
  landHeld(): number {
    return this.#held.splice(0).filter((append) => this.store(append) !== undefined).length;
  }

  /** Deleted and made anew: empty, and counting from 1. */
  recreate(): void {
    this.#messages = new Map();
    this.#lastOfSubject = new Map();
    this.#lastSequence = 0;
  }
}
