import { requestConsumerName } from '@agentstration/journal';
import { AckPolicy, type ConsumerConfig } from '@nats-io/jetstream';

const nanosecondsPerMs = 1_000_000;

/** What keeps the queue's consumer from being one that executors can rely on; undefined when nothing does. */
export function queueObjection(config: Readonly<Partial<ConsumerConfig>>, ackWaitMs: number): string | undefined {
  const consumer = `The consumer ${requestConsumerName} of the request queue`;
  if (config.ack_policy !== AckPolicy.Explicit) return `${consumer} has ack_policy ${config.ack_policy}, must be explicit. ${recreate}`;
  for (const property of ['max_deliver', 'max_ack_pending'] as const) {
    const value = config[property] ?? -1;
    if (value > 0) return `${consumer} has ${property} ${value}, must be unlimited (-1). ${recreate}`;
  }
  const actualMs = (config.ack_wait ?? 0) / nanosecondsPerMs;
  if (actualMs === ackWaitMs) return undefined;
  return `${consumer} has ack_wait ${actualMs} ms, ToolExecution:AckWaitMs is ${ackWaitMs}. Set AckWaitMs to ${actualMs}. Or: ${recreate}`;
}

/** Requests are in the stream: a consumer may be made anew, and starts with all that are still there. */
const recreate = 'Stop all executors, delete the consumer (not the stream) and run the provisioning.';
