import type { ToolCallKey } from '@agentstration/contracts';
import {
  type Append,
  type AppendOutcome,
  type Journal,
  JournalUnavailable,
  type RecordedFact,
  type StoredMessage,
} from '@agentstration/governance';
import type { MsgRequest } from '@nats-io/jetstream';
import type { JournalRecord } from '../read/read-stored-message.ts';
import { readToolCallFacts } from '../read/read-tool-call.ts';
import { type AppendFault, effects, noFault } from './append-faults.ts';
import { type MemoryMessage, MemoryStream } from './memory-stream.ts';

export interface InMemoryJournalOptions {
  /** Asked once per append, in the order of appends: what goes wrong with it. */
  readonly fault?: (append: Append, index: number) => AppendFault | undefined;
  /** Asked once per message read: true makes the read reject. */
  readonly readFails?: (index: number) => boolean;
  /** Awaited before and after the effect of each operation: where a seeded scheduler decides who goes on. */
  readonly turn?: () => Promise<void>;
  /** The broker's max_payload; default 1 MiB. */
  readonly maximumPayload?: number;
}

/**
 * The Journal's twin in memory: same port, same fence, no clock, and every fault on demand. One instance is one process;
 * {@link anotherWriter} is the next.
 */
export class InMemoryJournal implements Journal {
  readonly #options: InMemoryJournalOptions;
  readonly #stream: MemoryStream;
  #appends = 0;
  #reads = 0;
  #floor = 0;

  constructor(options: InMemoryJournalOptions = {}, stream = new MemoryStream()) {
    this.#options = options;
    this.#stream = stream;
  }

  /** Another process that writes the same Journal. */
  anotherWriter(options: InMemoryJournalOptions = this.#options): InMemoryJournal {
    return new InMemoryJournal(options, this.#stream);
  }

  /** All that is stored, in journal order. */
  get messages(): readonly MemoryMessage[] {
    return this.#stream.messages;
  }

  /** Lets the appends that timed out as `timed_out_held` arrive. Answers how many were stored. */
  landHeld(): number {
    return this.#stream.landHeld();
  }

  /** Stores what no writer of ours would. Answers its sequence. */
  storeRaw(message: Omit<MemoryMessage, 'sequence'>): number {
    return this.#stream.put(message);
  }

  async append(append: Append): Promise<AppendOutcome> {
    const floor = this.#floor;
    const fault = this.#options.fault?.(append, this.#appends++);
    await this.#options.turn?.();
    const outcome = this.#take(append, fault, floor);
    await this.#options.turn?.();
    if (outcome.kind === 'acknowledged' && !outcome.acknowledgement.duplicate && fault !== 'wrong_stream')
      this.#floor = Math.max(this.#floor, outcome.acknowledgement.sequence);
    return outcome;
  }

  async readLast(subject: string): Promise<StoredMessage | undefined> {
    return this.#read({ last_by_subj: subject });
  }

  readToolCall(call: ToolCallKey): Promise<readonly RecordedFact[]> {
    return readToolCallFacts((query) => this.#read(query), call);
  }

  #take(append: Append, fault: AppendFault | undefined, floor: number): AppendOutcome {
    if (append.payload.length > (this.#options.maximumPayload ?? 1024 * 1024)) return effects.too_large.answer(0, floor);
    if (fault === 'recreated') this.#stream.recreate();
    const effect = fault === undefined ? noFault : effects[fault];
    if (effect.stores === 'later') this.#stream.hold(append);
    if (effect.stores !== 'now') return effect.answer(this.#stream.lastSequence, floor);
    const sequence = this.#stream.store(append);
    if (sequence !== undefined) return effect.answer(sequence, floor);
    const detail = `the last sequence of the subject is ${this.#stream.lastOf(append.subject)?.sequence ?? 0}`;
    return fault === 'timed_out_stored' ? effect.answer(0, floor) : { kind: 'refused', reason: 'wrong_last_sequence', detail };
  }

  async #read(query: MsgRequest): Promise<JournalRecord | undefined> {
    const index = this.#reads++;
    await this.#options.turn?.();
    if (this.#options.readFails?.(index)) throw new JournalUnavailable('scripted');
    const message = 'seq' in query ? this.#stream.at(query.seq) : this.#stream.lastOf(query.last_by_subj);
    await this.#options.turn?.();
    if (!message) return undefined;
    const { previousSequence } = message;
    if (previousSequence === undefined) throw new JournalUnavailable(`message ${message.sequence} was published without a fence`);
    return { ...message, previousSequence, payload: message.payload.slice() };
  }
}
