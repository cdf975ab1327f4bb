import { streams } from '@agentstration/contracts';
import type { AppendOutcome } from '@agentstration/governance';

/** What can go wrong with one append, as seen of real brokers, networks and operators. */
export type AppendFault =
  | 'timed_out_stored'
  | 'timed_out_not_stored'
  /** Timed out, and lands when {@link InMemoryJournal.landHeld} is called, if its fence still holds. */
  | 'timed_out_held'
  /** Not stored: the broker only remembers having seen such a publish. */
  | 'duplicate'
  | 'duplicate_stored'
  /** A broker without quorum: not stored. */
  | 'duplicate_sequence_zero'
  | 'sequence_zero'
  | 'wrong_stream'
  /** The stream is deleted and made anew just before; the new one stores the fact and acknowledges under the same name. */
  | 'recreated'
  /** Stored, but the answer says that the fence did not hold: what a publish that was delivered twice is told. */
  | 'wrong_last_sequence_stored'
  | 'journal_full'
  | 'too_large'
  | 'unavailable'
  | 'not_verified'
  | 'error';

/** What the broker does with an append, and what the writer hears. */
export interface Effect {
  readonly stores: 'now' | 'later' | 'never';
  /** @param sequence where it was stored; where the stream ends when it was not */
  answer(sequence: number, floor: number): AppendOutcome;
}

const timeOut: AppendOutcome = { kind: 'unknown', detail: 'no acknowledgement in time' };
const acknowledged = (sequence: number, floor: number, mark: { duplicate?: boolean; stream?: string } = {}): AppendOutcome => ({
  kind: 'acknowledged',
  acknowledgement: { stream: streams.journal, duplicate: false, sequence, floor, ...mark },
});
const refusing = (reason: Extract<AppendOutcome, { kind: 'refused' }>['reason']): Effect => ({
  stores: 'never',
  answer: () => ({ kind: 'refused', reason, detail: 'scripted' }),
});

export const noFault: Effect = { stores: 'now', answer: (sequence, floor) => acknowledged(sequence, floor) };

export const effects: Readonly<Record<AppendFault, Effect>> = {
  timed_out_stored: { stores: 'now', answer: () => timeOut },
  timed_out_not_stored: { stores: 'never', answer: () => timeOut },
  timed_out_held: { stores: 'later', answer: () => timeOut },
  duplicate: { stores: 'never', answer: (sequence, floor) => acknowledged(sequence, floor, { duplicate: true }) },
  duplicate_stored: { stores: 'now', answer: (sequence, floor) => acknowledged(sequence, floor, { duplicate: true }) },
  duplicate_sequence_zero: { stores: 'never', answer: (_sequence, floor) => acknowledged(0, floor, { duplicate: true }) },
  sequence_zero: { stores: 'never', answer: (_sequence, floor) => acknowledged(0, floor) },
  wrong_stream: { stores: 'never', answer: (sequence, floor) => acknowledged(sequence + 1, floor, { stream: 'ANOTHER_STREAM' }) },
  recreated: noFault,
  wrong_last_sequence_stored: { ...refusing('wrong_last_sequence'), stores: 'now' },
  journal_full: refusing('journal_full'),
  too_large: refusing('too_large'),
  unavailable: refusing('unavailable'),
  not_verified: refusing('not_verified'),
  error: refusing('error'),
};
