import { streams } from '@agentstration/contracts';
import { JournalUnavailable, type StoredMessage } from '@agentstration/governance';
import { type JetStreamManager, type MsgRequest, PubHeaders, type StoredMsg } from '@nats-io/jetstream';

/** A message of the Journal with the subject it stands on. */
export interface JournalRecord extends StoredMessage {
  readonly subject: string;
}

/**
 * Asks the stream's leader for one message: a replica that answers direct gets may lag behind what was acknowledged.
 *
 * @returns undefined when there is no such message
 * @throws JournalUnavailable when nobody answers, or the message does not say which fence it was published with
 */
export async function readStoredMessage(manager: JetStreamManager, query: MsgRequest): Promise<JournalRecord | undefined> {
  const stored = await ask(manager, query);
  if (stored === null) return undefined;
  return { sequence: stored.seq, previousSequence: fenceOf(stored), subject: stored.subject, payload: stored.data };
}

async function ask(manager: JetStreamManager, query: MsgRequest): Promise<StoredMsg | null> {
  try {
    return await manager.streams.getMessage(streams.journal, query);
  } catch (error) {
    throw new JournalUnavailable(error instanceof Error ? error.message : 'no answer', { cause: error });
  }
}

/** The broker keeps the header that a fact was fenced with: it is the link to the fact before it. */
function fenceOf(stored: StoredMsg): number {
  const values = stored.header.values(PubHeaders.ExpectedLastSubjectSequenceHdr);
  const [value = ''] = values;
  const fence = Number(value);
  if (values.length !== 1 || !/^\d+$/.test(value) || !Number.isSafeInteger(fence))
    throw new JournalUnavailable(`message ${stored.seq} was published without a fence; it is no fact of this product`);
  return fence;
}
