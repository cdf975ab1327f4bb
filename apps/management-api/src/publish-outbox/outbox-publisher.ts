import type { ClaimedMessage, Outbox } from '@agentstration/store';
import type { Published } from './publish-message.ts';

export interface OutboxPublisherOptions {
  readonly outbox: Pick<Outbox, 'claim' | 'markSent' | 'release' | 'purgeSent'>;
  readonly publish: (message: ClaimedMessage) => Promise<Published>;
  readonly warn: (detail: string) => void;
  /** How long to wait when nothing waits, and after a failure, in milliseconds. */
  readonly idleMs?: number;
  readonly retryMs?: number;
}

/** Also how long a message waits that could not be sent. */
const leaseMs = 10_000;
const batch = 64;
const keepSentMs = 24 * 60 * 60 * 1000;
const purgeEveryMs = 60 * 60 * 1000;

/**
 * Sends what transactions have put into the outbox. Several may run at once: a message is leased to one of them. One that
 * cannot be sent waits alone; those of other Workspaces go on.
 */
export class OutboxPublisher {
  readonly #options: Required<OutboxPublisherOptions>;
  #stopping = false;
  #running: Promise<void> | undefined;
  #wake: () => void = () => undefined;
  #nudged = false;
  #purgedAt = 0;

  constructor(options: OutboxPublisherOptions) {
    this.#options = { idleMs: 250, retryMs: 1000, ...options };
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Something was written just now. */
  nudge(): void {
    this.#nudged = true;
    this.#wake();
  }

  /** Ends after the messages in hand. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const pauseMs = await this.#round();
      if (pauseMs > 0 && !this.#nudged) await this.#pause(pauseMs);
      this.#nudged = false;
    }
  }

  /** Answers how long to wait before the next round. */
  async #round(): Promise<number> {
    const { outbox, warn, idleMs, retryMs } = this.#options;
    try {
      await this.#purge();
      const messages = await outbox.claim({ limit: batch, leaseMs });
      if (messages.length === 0) return idleMs;
      return (await this.#send(messages)) ? 0 : retryMs;
    } catch (error) {
      warn(error instanceof Error ? error.message : 'the outbox cannot be read');
      return retryMs;
    }
  }

  /**
   * Sends in the order of writing. What cannot be sent keeps its lease, so that the next claim gets at others first; what
   * there was no time for is given back. True when all were sent.
   */
  async #send(messages: readonly ClaimedMessage[]): Promise<boolean> {
    const { outbox, publish, warn } = this.#options;
    const until = performance.now() + leaseMs / 2;
    const sent: ClaimedMessage[] = [];
    const unasked = [...messages];
    while (unasked.length > 0 && performance.now() < until && !this.#stopping) {
      const message = unasked.shift() as ClaimedMessage;
      const published = await publish(message);
      if (published.kind === 'sent') sent.push(message);
      else warn(`a ${message.kind} waits: ${published.detail}`);
    }
    if (sent.length > 0) await outbox.markSent(sent);
    if (unasked.length > 0) await outbox.release(unasked);
    return sent.length === messages.length;
  }

  async #purge(): Promise<void> {
    if (performance.now() - this.#purgedAt < purgeEveryMs && this.#purgedAt > 0) return;
    this.#purgedAt = performance.now();
    await this.#options.outbox.purgeSent(keepSentMs);
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
