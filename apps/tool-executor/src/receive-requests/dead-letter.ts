import { createHash } from 'node:crypto';
import { type DeadLetter, type RequestIdentities, streams } from '@agentstration/contracts';
import { JetStreamApiCodes, JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

/** A message that could not be understood. */
export interface Misfit {
  readonly subject: string;
  readonly payload: Uint8Array;
  readonly reason: string;
  readonly identities: RequestIdentities;
  readonly receivedAt: Date;
}

const timeoutMs = 5_000;

/** Records why a message was given up: its size and hash, never its content. Rejects unless the broker has stored it. */
export async function publishDeadLetter(connection: NatsConnection, misfit: Misfit): Promise<void> {
  const letter: DeadLetter = {
    reason: misfit.reason,
    size: misfit.payload.length,
    sha256: createHash('sha256').update(misfit.payload).digest('hex'),
    receivedAt: misfit.receivedAt.toISOString(),
    ...misfit.identities,
  };
  const subject = misfit.subject.replace(/\.(request|call)$/, '.dead-letter');
  const ack = await jetstream(connection, { timeout: timeoutMs }).publish(subject, JSON.stringify(letter), {
    expect: { streamName: streams.deadLetters },
  });
  if (ack.stream !== streams.deadLetters || !(ack.seq > 0) || ack.duplicate) throw new Error('The dead letter was not stored.');
}

/** Why dead letters could not be stored now; undefined when they could. While they cannot, a bad request stays in the queue. */
export async function deadLetterObjection(connection: NatsConnection): Promise<string | undefined> {
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: timeoutMs });
    await manager.streams.info(streams.deadLetters);
    return undefined;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound)
      return `There is no stream ${streams.deadLetters}. Run the provisioning.`;
    return `The stream ${streams.deadLetters} does not answer: ${error instanceof Error ? error.message : 'unknown'}.`;
  }
}
