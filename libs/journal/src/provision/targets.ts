import { streams } from '@agentstration/contracts';
import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, type StreamConfig } from '@nats-io/jetstream';
import { type Definition, requestConsumerName } from './stream-definitions.ts';

/** One thing to provision, and how the broker is asked for it. */
export interface Target {
  readonly definition: Definition;
  /** Properties that may be raised. */
  readonly raisable: readonly string[];
  /** The configuration that exists; undefined when there is none. */
  read(): Promise<object | undefined>;
  create(): Promise<unknown>;
  raise(properties: Readonly<Record<string, unknown>>): Promise<unknown>;
}

export const toStream = (manager: JetStreamManager, definition: Definition): Target => ({
  definition,
  raisable: definition.name === streams.journal ? ['max_bytes', 'num_replicas'] : ['num_replicas'],
  read: () => orMissing(async () => (await manager.streams.info(definition.name)).config),
  create: () => manager.streams.add(settingsOf(definition) as Partial<StreamConfig> & { name: string }),
  raise: (properties) => manager.streams.update(definition.name, properties),
});

export const toRequestConsumer = (manager: JetStreamManager, definition: Definition): Target => ({
  definition,
  raisable: [],
  read: () => orMissing(async () => (await manager.consumers.info(streams.requests, requestConsumerName)).config),
  create: () => manager.consumers.add(streams.requests, settingsOf(definition)),
  raise: () => Promise.reject(new Error('nothing of a consumer is ever raised')),
});

/** A broker must not be asked for what is not wanted: older ones do not know it, newer ones refuse what they do not know. */
const settingsOf = (definition: Definition): Record<string, unknown> =>
  Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== null && value !== false));

const missing: readonly number[] = [JetStreamApiCodes.StreamNotFound, JetStreamApiCodes.ConsumerNotFound];

async function orMissing<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof JetStreamApiError && missing.includes(error.code)) return undefined;
    throw error;
  }
}
