import type { JournalBatch, JournalMessage, JournalState } from '@agentstration/journal';
import { readJournalMessage } from '@agentstration/governance';
import { type Batch, type Checkpoint, JournalContradiction, type ProjectedMessage, messageHash } from '@agentstration/store/read-model';
import type { JournalSource } from './journal-source.ts';

/** Messages of one Journal, ready to be applied. */
export type ReadBatch = Pick<Batch, 'streamCreated' | 'messages'>;

export interface ReadingFromCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly signal: AbortSignal;
  readonly onInterruption: (error: Error) => void;
  /** The Journal is the one of the checkpoint, and holds nothing beyond it so far. Otherwise the first batch says so. */
  readonly onCaughtUp?: () => void;
}

/** As many messages as one transaction takes. */
const maximumBatch = 1000;

/**
 * Reads on after the checkpoint, once it is certain that this is the Journal that the checkpoint was made from: the same
 * stream, at least as long, and with the same message at the checkpoint's place.
 *
 * @throws JournalContradiction, JournalBroken, JournalUnavailable
 */
export async function* readFromCheckpoint(journal: JournalSource, reading: ReadingFromCheckpoint): AsyncGenerator<ReadBatch, void, void> {
  const { checkpoint, signal, onInterruption, onCaughtUp = () => undefined } = reading;
  const { lastSequence } = await stateOfSame(journal, checkpoint);
  // The message at the checkpoint is read again, to be compared.
  const from = Math.max(1, checkpoint.sequence);
  const created = checkpoint.streamCreated ?? undefined;
  let compared = checkpoint.sequence === 0;
  if (compared && lastSequence === 0) onCaughtUp();
  for await (const batch of journal.read({ from, maximumBatch, signal, onInterruption, ...(created !== undefined && { created }) })) {
    const messages = compared ? batch.messages : afterCheckpoint(batch, checkpoint);
    if (!compared && lastSequence === checkpoint.sequence) onCaughtUp();
    compared = true;
    if (messages.length > 0) yield { streamCreated: batch.created, messages: messages.map(toProjected) };
  }
}

async function stateOfSame(journal: JournalSource, { sequence, streamCreated }: Checkpoint): Promise<JournalState> {
  const state = await journal.state();
  const { created, lastSequence } = state;
  if (sequence === 0) return state;
  if (created !== streamCreated) {
    throw new JournalContradiction(
      'recreated',
      `it was created ${created}, the checkpoint is of the one created ${streamCreated ?? 'never'}`,
    );
  }
  if (lastSequence < sequence) throw new JournalContradiction('shorter', `it ends at ${lastSequence}, the checkpoint is at ${sequence}`);
  return state;
}

function afterCheckpoint({ messages }: JournalBatch, checkpoint: Checkpoint): readonly JournalMessage[] {
  const [first] = messages;
  if (first?.sequence !== checkpoint.sequence || messageHash(first) !== checkpoint.messageHash) {
    throw new JournalContradiction('rewritten', `message ${checkpoint.sequence} is not the one that was projected`);
  }
  return messages.slice(1);
}

const toProjected = ({ sequence, subject, payload, timestamp }: JournalMessage): ProjectedMessage => ({
  sequence,
  subject,
  payload,
  storedAt: Date.parse(timestamp),
  ...readJournalMessage(subject, payload),
});
