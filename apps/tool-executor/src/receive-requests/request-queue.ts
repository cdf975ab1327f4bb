import { streams } from '@agentstration/contracts';
import { requestConsumerName } from '@agentstration/journal';
import {
  type Consumer,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import type { RequestQueue } from '../execute-tool-call/executor-parts.ts';
import { queueObjection } from './queue-objection.ts';

/** JetStream: no message found. */
const noMessageFound = 10037;

/** The queue as it was found. */
export interface OpenQueue {
  /** A recreated stream has another one. */
  readonly identity: string;
  readonly consumer: Consumer;
}

/** Requests cannot be taken. The message says why, and what to do. */
export class QueueUnusable extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'QueueUnusable';
  }
}

/** The work queue of tool requests: its consumer, and its identity, which a recreated stream does not keep. */
export class JetStreamRequestQueue implements RequestQueue {
  readonly #manager: Promise<JetStreamManager>;
  #opened: Promise<OpenQueue> | undefined;

  /** @param ackWaitMs what the heartbeats of this executor rely on */
  constructor(
    private readonly connection: NatsConnection,
    private readonly ackWaitMs: number,
  ) {
    this.#manager = jetstreamManager(connection, { checkAPI: false });
    this.#manager.catch(() => undefined);
  }

  /** Finds the queue; later calls answer from memory until {@link forget}. Rejects with {@link QueueUnusable}. */
  open(): Promise<OpenQueue> {
    this.#opened ??= this.#find();
    this.#opened.catch(() => this.forget());
    return this.#opened;
  }

  /** Look at the queue again before it is used: it may have been recreated. */
  forget(): void {
    this.#opened = undefined;
  }

  /** Why requests cannot be taken now; undefined when they can. Asks the broker. */
  async objection(): Promise<string | undefined> {
    try {
      await this.#find();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : 'The request queue does not answer.';
    }
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

  async #find(): Promise<OpenQueue> {
    const { created, consumer } = await this.#look().catch((cause: unknown) => {
      throw new QueueUnusable(explain(cause), { cause });
    });
    const objection = queueObjection((await consumer.info(true)).config, this.ackWaitMs);
    if (objection !== undefined) throw new QueueUnusable(objection);
    return { identity: created, consumer };
  }

  async #look(): Promise<{ created: string; consumer: Consumer }> {
    const { created } = await (await this.#manager).streams.info(streams.requests);
    return { created, consumer: await jetstream(this.connection).consumers.get(streams.requests, requestConsumerName) };
  }
}

function explain(error: unknown): string {
  const code = error instanceof JetStreamApiError ? error.code : undefined;
  if (code === JetStreamApiCodes.StreamNotFound) return `There is no stream ${streams.requests}. Run the provisioning.`;
  if (code === JetStreamApiCodes.ConsumerNotFound)
    return `The stream ${streams.requests} has no consumer ${requestConsumerName}. Run the provisioning.`;
  return `The request queue does not answer: ${error instanceof Error ? error.message : 'unknown'}.`;
}
