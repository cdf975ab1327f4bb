import type { JournalState } from '../read/journal-state.ts';

/**
 * Why the Journal is not whole; undefined when it is. Every sequence from 1 to the last is one fact that was acknowledged,
 * and nothing may ever be deleted: what is missing was lost, by a broker that trimmed the stream or by somebody's hand.
 */
export function findLoss({ firstSequence, lastSequence, messages }: JournalState): string | undefined {
  const lost = lastSequence - messages;
  if (lost <= 0) return undefined;
  const oldest = firstSequence > 1 ? `; it begins at sequence ${firstSequence}` : '';
  return `The Journal has lost ${lost} of ${lastSequence} facts${oldest}. No call is made on an incomplete record. ${advice}`;
}

const advice =
  'Restore the stream from a backup. Without one: keep a copy of what is left, delete the stream, run the provisioning and ' +
  'restart the services.';
