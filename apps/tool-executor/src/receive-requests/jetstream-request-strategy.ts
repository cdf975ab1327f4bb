import { subjectFilters } from '@agentstration/contracts';
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { type CustomTransportStrategy, type MessageHandler, Server } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import type { ExecutorLog } from '../execute-tool-call/executor-parts.ts';
import { HeldRequest } from './held-request.ts';
import type { JetStreamRequestQueue } from './request-queue.ts';

export interface RequestStrategyOptions {
  readonly connection: NatsConnection;
  readonly queue: JetStreamRequestQueue;
  readonly maximumConcurrency: number;
  readonly ackWaitMs: number;
  readonly gracePeriodMs: number;
  /** How many attempts could be recorded now beside those under way; what does not fit is left in the queue. */
  readonly roomForAttempts: (underWay: number) => number;
  /** Called when the grace period of a shutdown is over. */
  readonly onGraceEnded: () => void;
  readonly log: ExecutorLog;
}

const pullExpiresMs = 2_000;
const pauseMs = 250;
const graceEnded =
  'the grace period is over: requests whose outcome could not be recorded are left for redelivery; /readyz says what the Journal lacks';
const queueGroup = 'tool-executor';

/**
 * Nest's transport for the request queue: durable pull consumption from JetStream, at most as many requests as there are
 * free slots, each kept alive while it is held. Patterns other than the queue's are core NATS subjects in a queue group.
 * The stock NATS transport of Nest is core NATS only: at most once.
 */
export class JetStreamRequestStrategy extends Server implements CustomTransportStrategy {
  readonly #held = new Map<string, HeldRequest>();
  readonly #running = new Set<Promise<void>>();
  #subscriptions: Subscription[] = [];
  #stopping = false;
  #complaint: string | undefined;
  #pulling: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  /** Waits for a slot or for room. */
  #isPausing = false;

  constructor(private readonly options: RequestStrategyOptions) {
    super();
  }

  /** Requests in hand. */
  get running(): number {
    return this.#running.size;
  }

  listen(callback: () => void): void {
    for (const pattern of this.messageHandlers.keys()) {
      if (pattern === subjectFilters.requests) this.#pulling = this.#pull();
      else this.#subscribe(pattern);
    }
    callback();
  }

  /** Takes nothing more, and waits for what runs: as long as the grace period allows. */
  async close(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    const { gracePeriodMs, log } = this.options;
    if (this.#held.size > 0) log.info({ requests: this.#held.size, gracePeriodMs }, 'stopping: waiting for the requests in hand to end');
    const graceEnds = setTimeout(() => this.#endGrace(), gracePeriodMs);
    await this.#pulling;
    await Promise.all(this.#running);
    clearTimeout(graceEnds);
  }

  #endGrace(): void {
    if (this.#held.size > 0) this.options.log.warn({ requests: this.#held.size }, graceEnded);
    this.options.onGraceEnded();
  }

  on(): never {
    throw new Error('This transport has no events; read /readyz and /metrics.');
  }

  unwrap<T>(): T {
    return this.options.connection as T;
  }

  async #pull(): Promise<void> {
    while (!this.#stopping) {
      const slots = this.options.maximumConcurrency - this.#running.size;
      const free = Math.min(slots, this.options.roomForAttempts(this.#held.size));
      if (free <= 0) {
        await this.#pause();
        continue;
      }
      try {
        const { consumer, identity } = await this.options.queue.open();
        await this.#fetch(consumer, { identity, free });
        this.#complaint = undefined;
      } catch (error) {
        this.options.queue.forget();
        this.#complain(error instanceof Error ? error.message : 'unknown');
        await this.#pause();
      }
    }
  }

  /** Once for each reason: it may last. */
  #complain(reason: string): void {
    if (this.#stopping || this.#complaint === reason) return;
    this.#complaint = reason;
    this.options.log.warn({ reason }, 'the request queue cannot be read; trying again');
  }

  async #fetch(consumer: Consumer, { identity, free }: { readonly identity: string; readonly free: number }): Promise<void> {
    const messages = await consumer.fetch({ max_messages: free, expires: pullExpiresMs });
    this.#wake = () => messages.stop();
    for await (const message of messages) this.#take(message, identity);
  }

  #take(message: JsMsg, identity: string): void {
    const position = `${identity}:${message.seq}`;
    const known = this.#held.get(position);
    if (known) return known.adopt(message);
    const held = new HeldRequest(message, identity, this.options.ackWaitMs);
    this.#held.set(position, held);
    const run = this.#handle(held).finally(() => {
      this.#held.delete(position);
      this.#running.delete(run);
      if (this.#isPausing) this.#wake();
    });
    this.#running.add(run);
  }

  async #handle(held: HeldRequest): Promise<void> {
    try {
      await invoke(this.getHandlerByPattern(subjectFilters.requests), held);
    } catch (error) {
      this.options.log.error(
        { queuePosition: held.queuePosition, error: error instanceof Error ? error.name : 'unknown' },
        'a request could not be handled; it is delivered again',
      );
      held.again(pauseMs * 20);
    }
  }

  #subscribe(pattern: string): void {
    const handler = this.messageHandlers.get(pattern);
    const callback = (error: Error | null, message: Msg): void => {
      if (error || !handler) return;
      const run = invoke(handler, message)
        .catch(() => this.options.log.error({ subject: pattern }, 'a message could not be handled'))
        .finally(() => this.#running.delete(run));
      this.#running.add(run);
    };
    // A cancellation must reach every executor; everything else is answered by one of them.
    const queue = pattern === subjectFilters.cancels ? {} : { queue: queueGroup };
    this.#subscriptions.push(this.options.connection.subscribe(pattern, { ...queue, callback }));
  }

  #pause(): Promise<void> {
    this.#isPausing = true;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#wake(), pauseMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#isPausing = false;
        resolve();
      };
    });
  }
}

/** Nest turns what a handler throws into a stream that fails: only by reading it does anybody learn of it. */
async function invoke(handler: MessageHandler | null | undefined, payload: unknown): Promise<void> {
  const answer: unknown = await handler?.(payload);
  if (isObservable(answer)) await lastValueFrom(answer, { defaultValue: undefined });
}
