import type { NatsConnection } from '@nats-io/transport-node';

/** The durable pull consumer of the request queue that all executors share. */
export const requestConsumerName = 'tool-executor';

export interface StreamSettings {
  /** Configuration `Journal:Replicas`; every durable stream gets as many. */
  readonly replicas: number;
  /** Configuration `Journal:MaximumBytes`. */
  readonly journalMaximumBytes: number;
  /** Configuration `ToolExecution:AckWaitMs`. */
  readonly ackWaitMs: number;
}

/** What provisioning did to one stream or consumer. */
export interface Provisioned {
  readonly name: string;
  readonly action: 'created' | 'unchanged' | 'raised';
}

/** Something that exists is not as it must be, and provisioning may not change it. `differences` names each field. */
export class ProvisioningRefused extends Error {
  constructor(readonly differences: readonly string[]) {
    super(
      `Provisioning changes nothing that exists but a Journal's MaximumBytes and replicas, and only upwards:\n${differences.join('\n')}`,
    );
    this.name = 'ProvisioningRefused';
  }
}

/**
 * Creates the streams of the product and the consumer of the request queue where they are missing, and compares those
 * that exist. It may raise the Journal's MaximumBytes and replicas and changes nothing else. Idempotent.
 *
 * @throws ProvisioningRefused naming every difference at once; nothing was changed then.
 */
export function provisionStreams(_connection: NatsConnection, _settings: StreamSettings): Promise<readonly Provisioned[]> {
  return Promise.reject(new Error('not built yet'));
}
