import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { resultsDefinition } from './stream-definitions.ts';
import { toStream } from './targets.ts';

const timeoutMs = 5_000;

/**
 * Makes the stream of results again where it is gone: it is held in memory, and a single broker that was restarted has
 * forgotten it. It never held anything that must be kept. Idempotent, also when several executors do it at once.
 *
 * @param replicas configuration `Journal:Replicas`
 */
export async function restoreResults(connection: NatsConnection, replicas: number): Promise<void> {
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: timeoutMs });
  const target = toStream(manager, resultsDefinition(replicas));
  if ((await target.read()) === undefined) await target.create();
}
