import type { JournalState } from '../read/journal-state.ts';

/** What keeps new attempts from starting although facts may be appended. */
export interface Troubles {
  readonly journal: JournalState;
  /** What is left of the Journal is kept for attempts under way. */
  readonly isUsedUp: boolean;
  /** The broker refused a fact for want of room. */
  readonly refused: boolean;
  /** How many of the last publishes were not answered. */
  readonly unanswered: number;
}

/** Each trouble, and what to do about it. */
export function describeTroubles({ journal, isUsedUp, refused, unanswered }: Troubles): readonly string[] {
  const troubles: string[] = [];
  if (isUsedUp) troubles.push(usedUp(journal));
  else if (refused)
    troubles.push('The broker refused a fact for want of storage. Give JetStream more (max_file_store, the account, the disk).');
  if (unanswered > 0) troubles.push(`The last ${unanswered} publishes were not acknowledged although the broker answers. ${inspect}`);
  return troubles;
}

const usedUp = ({ bytes, maximumBytes }: JournalState): string =>
  `The Journal is full but for its reserve: it holds ${bytes} of ${maximumBytes} bytes, and the other ${maximumBytes - bytes} are kept so that ` +
  'attempts under way can end. No new attempt starts. Raise Journal:MaximumBytes and run the provisioning.';

const inspect = 'Look at its disk and its log; after a full disk it must be restarted.';
