import { streams } from '@agentstration/contracts';
import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';

/** How far the Journal goes, and what is missing of it: nothing ever may be. */
export async function readJournalState(
  connection: NatsConnection,
): Promise<{ readonly lastSequence: number; readonly gaps: readonly string[] }> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const { state } = await manager.streams.info(streams.journal);
  const missing = state.last_seq - state.messages;
  return { lastSequence: state.last_seq, gaps: missing === 0 ? [] : [`the Journal lacks ${missing} of its ${state.last_seq} messages`] };
}
