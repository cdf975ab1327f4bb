import { type FactOf, type ToolFact, isFact, parseJournalSubject } from '@agentstration/contracts';
import type { OracleEntry } from '../support/mcp/test-server.ts';
import type { JournalEntry } from '../support/system/requester.ts';
import { nameOf } from './scopes.ts';
import type { AttemptRow } from './read-model.ts';
import { type HistoryEntry, keyOf } from './workload.ts';

/** A fact of a tool call, with the Workspace and tool call that its subject names. */
export interface CallFact {
  readonly key: string;
  readonly workspace: string;
  readonly fact: ToolFact;
  readonly storedAt: number;
}

/** One execution, as the server outside of the system wrote it down. */
export interface ProviderCall {
  readonly key: string;
  readonly tool: string;
  readonly invocationId: string;
  readonly credential: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** All that can be known about a run from outside, of its own tool calls only. */
export interface Evidence {
  readonly calls: readonly ProviderCall[];
  readonly journal: readonly CallFact[];
  /** The Journal when the queue had come to rest, before unanswered requests were sent again. */
  readonly journalAtRest: readonly CallFact[];
  /** Facts that were acknowledged to an executor and are not where they should be. */
  readonly vanished: readonly string[];
  /** What is missing between the first and the last message of the Journal. */
  readonly gaps: readonly string[];
  readonly history: readonly HistoryEntry[];
  /** The read model, projected up to the end of the Journal. */
  readonly attempts: readonly AttemptRow[];
}

/** The invariants of the rig: what is said of each when it is broken. */
export const invariants = {
  I1: 'ungoverned',
  I2: 'vanished',
  I3: 'repeated',
  I5: 'lost',
  I6: 'unequal',
  I7: 'illegal',
  I8: 'foreign',
  I10: 'left over',
} as const;
export type Invariant = keyof typeof invariants;

/** What is wrong, by the invariant that says so. */
export type Broken = Readonly<Record<Invariant, readonly string[]>>;

export const callsOf = (oracle: readonly OracleEntry[]): readonly ProviderCall[] =>
  oracle
    .filter(({ event }) => event === 'call')
    .map(({ tool = '', arguments: given, invocationId = '', credential = '', at }) => {
      const key = keyOf(String(given?.workspace), String(given?.call));
      return { key, tool, invocationId, credential, at: Date.parse(at) };
    });

/** The tool call of a subject of the Journal; empty for one of no tool call. */
export function keyOfSubject(subject: string): string {
  const position = parseJournalSubject(subject);
  return position?.toolCallId === undefined ? '' : keyOf(nameOf(position), position.toolCallId);
}

export const factsOf = (journal: readonly JournalEntry[]): readonly CallFact[] =>
  journal.flatMap(({ subject, fact, storedAt }) => {
    const position = parseJournalSubject(subject);
    if (!position?.toolCallId || !('toolCallId' in fact.data)) return [];
    const workspace = nameOf(position);
    return [{ key: keyOf(workspace, position.toolCallId), workspace, fact: fact as ToolFact, storedAt }];
  });

export const byToolCall = (journal: readonly CallFact[]): ReadonlyMap<string, readonly ToolFact[]> =>
  new Map([...Map.groupBy(journal, ({ key }) => key)].map(([key, facts]) => [key, facts.map(({ fact }) => fact)]));

export const isTerminal = (fact: ToolFact): fact is FactOf<'ToolExecutionCompleted'> | FactOf<'ToolExecutionFailed'> =>
  isFact(fact, 'ToolExecutionCompleted') || isFact(fact, 'ToolExecutionFailed');
