import { createHash } from 'node:crypto';
import { type DeadLetter, type RequestIdentities, streams } from '@agentstration/contracts';
import { jetstream } from '@nats-io/jetstream';
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
