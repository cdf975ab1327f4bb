import { randomUUID } from 'node:crypto';
import { streams } from '@agentstration/contracts';
import { JournalUnavailable } from '@agentstration/governance';
import { AckPolicy, type Consumer, type ConsumerMessages, DeliverPolicy, type JsMsg, ReplayPolicy, jetstream } from '@nats-io/jetstream';
import { type NatsConnection, nanos } from '@nats-io/transport-node';
import { JournalBehind } from './interruptions.ts';
import { JournalBroken } from './journal-broken.ts';
import { type JournalState, journalState } from './journal-state.ts';
import { Mailbox } from './mailbox.ts';

/** One message of the Journal, readable as a fact or not. */
export interface JournalMessage {
  readonly sequence: number;
  readonly subject: string;
  readonly payload: Uint8Array;
  /** When the broker stored it, RFC 3339 in UTC with milliseconds. */
  readonly timestamp: string;
}

/** Where to go on, and in which Journal; any, when `created` is not given. */
export interface Place {
  readonly next: number;
  readonly created?: string | undefined;
}

/** One pull asks for so many messages; no other is sent before its messages were taken. */
const windowSize = 1000;
/** A pull waits so long; two missed heartbeats within it end the session. */
const pullExpiresMs = 5000;
const watchIntervalMs = 5000;
/** A consumer that nobody pulls from any more removes itself. */
const forgottenAfterMs = 60_000;

/**
 * Starts to read at `place` with a consumer of its own. A consumer belongs to one stream and dies with it: the creation
 * time that is read after the consumer was made is that of the stream which the consumer reads, for as long as it lives.
 */
export async function openSession(connection: NatsConnection, place: Place): Promise<ReadingSession> {
  const client = jetstream(connection);
  const manager = await client.jetstreamManager(false);
  const { name } = await manager.consumers.add(streams.journal, {
    name: `reader-${randomUUID()}`,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: place.next,
    replay_policy: ReplayPolicy.Instant,
    inactive_threshold: nanos(forgottenAfterMs),
    mem_storage: true,
    num_replicas: 1,
  });
  const state = await journalState(connection);
  checkPlace(state, place);
  return new ReadingSession(connection, await client.consumers.get(streams.journal, name), { ...place, created: state.created });
}

/**
 * @throws JournalBroken when the Journal is another one, or does not reach from the place on
 * @throws JournalBehind when a new leader may only have to catch up
 */
export function checkPlace(state: JournalState, { next, created }: Place): void {
  if (created !== undefined && state.created !== created)
    throw new JournalBroken('recreated', `this stream is of ${state.created}, the one that was read before is of ${created}.`);
  if (state.lastSequence < next - 1) {
    const detail = `it ends at sequence ${state.lastSequence}, although ${next - 1} was read from it.`;
    throw state.replicas > 1 ? new JournalBehind(detail) : new JournalBroken('shorter', detail);
  }
  if (state.messages > 0 && state.firstSequence > next)
    throw new JournalBroken('gap', `it begins at sequence ${state.firstSequence}; ${next} is the next to read.`);
}

/** Reads until something goes wrong. What was received up to then is delivered. */
export class ReadingSession {
  readonly created: string;
  /** The sequence to go on with. */
  next: number;
  /** Why the session ended by itself. */
  interruption: unknown;
  readonly #connection: NatsConnection;
  readonly #consumer: Consumer;
  readonly #mailbox = new Mailbox<JournalMessage>();
  #pull: ConsumerMessages | undefined;
  #deliveries = 0;
  #received: number;
  /** What was last received when the watch found messages waiting. */
  #waitedAt: number | undefined;

  constructor(connection: NatsConnection, consumer: Consumer, place: Required<Place> & { created: string }) {
    this.#connection = connection;
    this.#consumer = consumer;
    this.created = place.created;
    this.next = place.next;
    this.#received = place.next - 1;
  }

  /** Never rejects, but ends: see {@link interruption}. */
  async *batches(maximum: number, signal: AbortSignal): AsyncGenerator<readonly JournalMessage[], void, void> {
    const end = () => this.#end(undefined);
    signal.addEventListener('abort', end);
    // It may have aborted while the session was being opened: no event comes then.
    if (signal.aborted) end();
    const watch = setInterval(() => void this.#watch(), watchIntervalMs).unref();
    const pulling = this.#pullAll();
    try {
      for (let batch = await this.#mailbox.take(maximum); batch.length > 0 && !signal.aborted; batch = await this.#mailbox.take(maximum)) {
        yield batch;
        this.next = (batch.at(-1)?.sequence ?? this.next - 1) + 1;
      }
    } finally {
      signal.removeEventListener('abort', end);
      clearInterval(watch);
      end();
      await pulling;
      void this.#consumer.delete().catch(() => undefined);
    }
  }

  /** The next pull is sent when the messages of the one before were taken: what is held in memory stays bounded. */
  async #pullAll(): Promise<void> {
    try {
      while (!this.#mailbox.closed) {
        this.#pull = await this.#consumer.fetch({ max_messages: windowSize, expires: pullExpiresMs });
        if (this.#mailbox.closed) await this.#pull.close();
        for await (const message of this.#pull) this.#mailbox.put(this.#inOrder(message));
        await this.#mailbox.emptied();
      }
    } catch (error) {
      this.#end(error);
    }
  }

  /** @throws when messages were lost on the way, or are not there at all. */
  #inOrder(message: JsMsg): JournalMessage {
    const expected = this.#received + 1;
    this.#deliveries += 1;
    if (message.info.deliverySequence !== this.#deliveries) throw new Error(`messages were lost on the way, ${expected} among them`);
    if (message.seq !== expected) throw new JournalBroken('gap', `sequence ${message.seq} follows ${this.#received}.`);
    this.#received = message.seq;
    return { sequence: message.seq, subject: message.subject, payload: message.data, timestamp: message.timestamp };
  }

  /** A consumer can go silent without a word, and a stream can be replaced while nothing is published. */
  async #watch(): Promise<void> {
    try {
      const received = this.#received;
      const state = await journalState(this.#connection);
      checkPlace(state, { next: received + 1, created: this.created });
      const waits = this.#mailbox.empty && this.#received === received && state.lastSequence > received;
      if (waits && this.#waitedAt === received) throw new Error(`nothing arrives although the Journal reaches ${state.lastSequence}`);
      this.#waitedAt = waits ? received : undefined;
    } catch (error) {
      if (!(error instanceof JournalUnavailable)) this.#end(error);
    }
  }

  #end(interruption: unknown): void {
    if (this.#mailbox.closed) return;
    this.interruption = interruption;
    this.#mailbox.close();
    void this.#pull?.close();
  }
}
