import { type Fact, type JournalPosition, type Scope, parseFact, parseJournalSubject, parseScope } from '@agentstration/contracts';

/**
 * What one Journal message says. Where it counts comes from its subject alone: a message whose text is no fact keeps
 * its place in Workspace and Run, and `reason` says what is wrong with it.
 */
export interface ReadMessage {
  /** Undefined for a subject that names no Workspace. */
  readonly scope: Scope | undefined;
  /** Undefined for a subject that names no Run. */
  readonly position: JournalPosition | undefined;
  readonly fact: Fact | undefined;
  /** Why there is no fact: holds no value of the message but the name of an unknown type. */
  readonly reason: string | undefined;
}

/** Reads a message of the Journal; total. */
export function readJournalMessage(subject: string, payload: Uint8Array): ReadMessage {
  const position = parseJournalSubject(subject);
  const scope = position ?? parseScope(subject);
  if (!position) return { scope, position, fact: undefined, reason: 'the subject is none of a Run or Tool Call' };
  const parsed = parseFact(payload);
  if (!parsed.ok) return { scope, position, fact: undefined, reason: parsed.reason };
  const reason = contradiction(position, parsed.fact);
  return reason === undefined ? { scope, position, fact: parsed.fact, reason } : { scope, position, fact: undefined, reason };
}

/** A fact that its own subject, or the calendar, contradicts. */
function contradiction(position: JournalPosition, { data, time }: Fact): string | undefined {
  if (data.ownerKind !== position.ownerKind || data.runId !== position.runId) return 'the Run is not that of the subject';
  if (('toolCallId' in data ? data.toolCallId : undefined) !== position.toolCallId) return 'the Tool Call is not that of the subject';
  return Number.isNaN(Date.parse(time)) ? '/time is not a moment that exists' : undefined;
}
