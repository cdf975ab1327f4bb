import { type Fact, parseFact } from '@agentstration/contracts';
import type { AppendOutcome, Journal, RecordedFact } from '../ports/journal.ts';
import { judgeAcknowledgement } from './acknowledgement.ts';
import { markProven } from './permit.ts';

export interface FactToRecord {
  readonly subject: string;
  readonly fact: Fact;
  /** Sequence of the fact before it on this subject; 0 for the first. */
  readonly expectedLastSequence: number;
}

/** `fenced`: somebody else's fact stands there. `unknown`: the fact may still land later. */
export type RecordOutcome =
  | { readonly kind: 'recorded'; readonly recorded: RecordedFact }
  | { readonly kind: 'fenced' }
  | { readonly kind: 'refused'; readonly detail: string }
  | { readonly kind: 'unknown'; readonly detail: string };

/** The exact bytes of a fact, as they are stored and compared. */
export const encodeFact = (fact: Fact): Uint8Array => new TextEncoder().encode(JSON.stringify(fact));

/**
 * Publishes one fact and decides whether it is recorded: by a good acknowledgement, or because the last message of its
 * subject, read from the stream's leader after a wrong-last-sequence or duplicate answer, is byte for byte this fact.
 * Never rejects.
 */
export async function recordFact(journal: Journal, toRecord: FactToRecord): Promise<RecordOutcome> {
  const payload = encodeFact(toRecord.fact);
  const outcome = await journal.append({ ...toRecord, payload });
  const sequence = goodSequence(outcome);
  if (sequence !== undefined) return recorded(toRecord, sequence);
  if (mayBeStored(outcome)) return lookIntoIt(journal, toRecord, payload);
  if (outcome.kind === 'unknown') return { kind: 'unknown', detail: outcome.detail };
  return { kind: 'refused', detail: outcome.kind === 'refused' ? `${outcome.reason}: ${outcome.detail}` : 'not a good acknowledgement' };
}

function goodSequence(outcome: AppendOutcome): number | undefined {
  if (outcome.kind !== 'acknowledged') return undefined;
  const verdict = judgeAcknowledgement(outcome.acknowledgement);
  return verdict.good ? verdict.sequence : undefined;
}

const mayBeStored = (outcome: AppendOutcome): boolean =>
  (outcome.kind === 'acknowledged' && outcome.acknowledgement.duplicate) ||
  (outcome.kind === 'refused' && outcome.reason === 'wrong_last_sequence');

const recorded = (toRecord: FactToRecord, sequence: number): RecordOutcome => ({
  kind: 'recorded',
  recorded: markProven({ sequence, previousSequence: toRecord.expectedLastSequence, fact: toRecord.fact }),
});

async function lookIntoIt(journal: Journal, toRecord: FactToRecord, payload: Uint8Array): Promise<RecordOutcome> {
  try {
    const last = await journal.readLast(toRecord.subject);
    if (last && last.sequence > 0 && equalBytes(last.payload, payload)) return recorded(toRecord, last.sequence);
    return { kind: 'fenced' };
  } catch (error) {
    return { kind: 'unknown', detail: error instanceof Error ? error.message : 'the Journal cannot be read' };
  }
}

const equalBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && left.every((byte, index) => byte === right[index]);

/** Reads a stored message back into a fact; undefined when it is not one. */
export function decodeFact(payload: Uint8Array): Fact | undefined {
  const parsed = parseFact(payload);
  return parsed.ok ? parsed.fact : undefined;
}
