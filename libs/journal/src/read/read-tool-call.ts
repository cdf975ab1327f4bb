import { type Fact, type ToolCallKey, parseFact, toolCallJournalSubject } from '@agentstration/contracts';
import { JournalUnavailable, type RecordedFact } from '@agentstration/governance';
import type { MsgRequest } from '@nats-io/jetstream';
import type { JournalRecord } from './read-stored-message.ts';

/** Reads one message, by sequence or as the last of its subject. */
export type ReadMessage = (query: MsgRequest) => Promise<JournalRecord | undefined>;

/**
 * Walks the facts of a Tool Call from the newest to the first, along the fence that each was published with: as many
 * reads as the call has facts, however large the Journal is.
 *
 * @returns the facts in journal order
 * @throws JournalUnavailable when a link is missing or a message cannot be understood
 */
export async function readToolCallFacts(read: ReadMessage, call: ToolCallKey): Promise<readonly RecordedFact[]> {
  const subject = toolCallJournalSubject(call);
  const facts: RecordedFact[] = [];
  let message = await read({ last_by_subj: subject });
  while (message) {
    facts.push({ sequence: message.sequence, previousSequence: message.previousSequence, fact: understand(message, call) });
    if (message.previousSequence === 0) break;
    message = await readLink(read, message);
  }
  return facts.reverse();
}

async function readLink(read: ReadMessage, after: JournalRecord): Promise<JournalRecord> {
  const broken = `the chain of facts is broken: message ${after.sequence} names message ${after.previousSequence} as the one before it`;
  if (after.previousSequence >= after.sequence) throw new JournalUnavailable(`${broken}, which is not before it`);
  const message = await read({ seq: after.previousSequence });
  if (!message) throw new JournalUnavailable(`${broken}, which is not there`);
  if (message.subject !== after.subject) throw new JournalUnavailable(`${broken}, which belongs to another subject`);
  return message;
}

function understand(message: JournalRecord, call: ToolCallKey): Fact {
  const parsed = parseFact(message.payload);
  if (!parsed.ok) throw new JournalUnavailable(`message ${message.sequence} is not a fact: ${parsed.reason}`);
  if (!isFactOf(parsed.fact, call))
    throw new JournalUnavailable(`message ${message.sequence} is a fact of something else than its subject`);
  return parsed.fact;
}

const isFactOf = ({ data }: Fact, call: ToolCallKey): boolean =>
  'toolCallId' in data && data.toolCallId === call.toolCallId && data.runId === call.runId && data.ownerKind === call.ownerKind;
