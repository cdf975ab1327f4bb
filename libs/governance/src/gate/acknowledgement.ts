import { streams } from '@agentstration/contracts';

/** What came back from one publish to the Journal. The adapter reports it; only {@link judgeAcknowledgement} judges it. */
export interface Acknowledgement {
  readonly stream: string;
  readonly sequence: number;
  readonly duplicate: boolean;
  /** The highest sequence that the Journal had acknowledged to this process before this publish was sent; 0 at first. */
  readonly floor: number;
}

export type AcknowledgementVerdict =
  | { readonly good: true; readonly sequence: number }
  | { readonly good: false; readonly reason: 'wrong_stream' | 'duplicate' | 'not_a_sequence' | 'not_above_floor' };

/**
 * A good acknowledgement comes from the Journal, is not marked duplicate, and has a sequence above every sequence
 * acknowledged before the publish was sent. A broker without quorum can answer `{ seq: 0, duplicate: true }`, and a
 * recreated stream acknowledges under the same name with small sequences: neither is one.
 */
export function judgeAcknowledgement(ack: Acknowledgement): AcknowledgementVerdict {
  if (ack.stream !== streams.journal) return { good: false, reason: 'wrong_stream' };
  if (ack.duplicate !== false) return { good: false, reason: 'duplicate' };
  if (!Number.isSafeInteger(ack.sequence) || ack.sequence <= 0) return { good: false, reason: 'not_a_sequence' };
  if (ack.sequence <= ack.floor) return { good: false, reason: 'not_above_floor' };
  return { good: true, sequence: ack.sequence };
}
