import { type Fact, streams } from '@agentstration/contracts';
import { type Journal, decodeFact, recordFact } from '@agentstration/governance';
import type { ClaimedMessage } from '@agentstration/store';
import type { JetStreamClient } from '@nats-io/jetstream';

export interface BrokerPorts {
  readonly journal: Journal;
  readonly jetStream: Pick<JetStreamClient, 'publish'>;
  readonly publishTimeoutMs: number;
}

/** Whether the broker holds the message now. `not_yet` is tried again; `detail` holds nothing of the message. */
export type Published = { readonly kind: 'sent' } | { readonly kind: 'not_yet'; readonly detail: string };

/** Brings one message of the outbox to the broker. Never rejects. */
export async function publishMessage(ports: BrokerPorts, message: ClaimedMessage): Promise<Published> {
  try {
    return message.kind === 'fact' ? await publishFact(ports.journal, message) : await publishRequest(ports, message);
  } catch (error) {
    return { kind: 'not_yet', detail: error instanceof Error ? error.name : 'unknown' };
  }
}

/** Fenced on whatever stands on its subject. After a crash or a lost answer the fact may be there already. */
async function publishFact(journal: Journal, { subject, payload }: ClaimedMessage): Promise<Published> {
  const fact: Fact | undefined = decodeFact(new TextEncoder().encode(payload));
  if (!fact) return { kind: 'not_yet', detail: 'not a fact' };
  const last = await journal.readLast(subject);
  if (last && new TextDecoder().decode(last.payload) === payload) return { kind: 'sent' };
  const outcome = await recordFact(journal, { subject, fact, expectedLastSequence: last?.sequence ?? 0 });
  return outcome.kind === 'recorded' ? { kind: 'sent' } : { kind: 'not_yet', detail: outcome.kind };
}

/** No `Nats-Msg-Id`: the fixed `requestId` makes a resend the same Request. */
async function publishRequest({ jetStream, publishTimeoutMs }: BrokerPorts, { subject, payload }: ClaimedMessage): Promise<Published> {
  const acknowledgement = await jetStream.publish(subject, payload, {
    expect: { streamName: streams.requests },
    timeout: publishTimeoutMs,
    retries: 0,
  });
  const accepted = acknowledgement.stream === streams.requests && acknowledgement.seq > 0 && !acknowledgement.duplicate;
  return accepted ? { kind: 'sent' } : { kind: 'not_yet', detail: 'not accepted' };
}
