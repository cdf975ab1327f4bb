import { streams } from '@agentstration/contracts';
import { requestConsumerName } from '@agentstration/journal';
import { type Consumer, JetStreamApiError, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { RequestQueue } from '../execute-tool-call/executor-parts.ts';

/** JetStream: no message found. */
const noMessageFound = 10037;

/** The work queue of tool requests: its consumer, and its identity, which a recreated stream does not keep. */
export class JetStreamRequestQueue implements RequestQueue {
  readonly #manager: Promise<JetStreamManager>;
  #opened: Promise<{ readonly identity: string; readonly consumer: Consumer }> | undefined;

  constructor(private readonly connection: NatsConnection) {
    this.#manager = jetstreamManager(connection, { checkAPI: false });
    this.#manager.catch(() => undefined);
  }

  /** Finds the queue; later calls answer from memory until {@link forget}. Rejects when it is not there. */
  open(): Promise<{ readonly identity: string; readonly consumer: Consumer }> {
    this.#opened ??= this.#find();
    this.#opened.catch(() => this.forget());
    return this.#opened;
  }

  /** Look at the queue again before it is used: it may have been recreated. */
  forget(): void {
    this.#opened = undefined;
  }

  async isQueued(position: string): Promise<boolean> {
    const { identity } = await this.open();
    const separator = position.lastIndexOf(':');
    if (position.slice(0, separator) !== identity) return false;
    try {
      return (await (await this.#manager).streams.getMessage(streams.requests, { seq: Number(position.slice(separator + 1)) })) !== null;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === noMessageFound) return false;
      throw error;
    }
  }

  async #find(): Promise<{ identity: string; consumer: Consumer }> {
    const { created } = await (await this.#manager).streams.info(streams.requests);
    const consumer = await jetstream(this.connection).consumers.get(streams.requests, requestConsumerName);
    return { identity: created, consumer };
  }
}
