import { type FactOf, type ToolFact, isFact } from '@agentstration/contracts';
import type { OracleEntry } from '../support/mcp/test-server.ts';
import type { JournalEntry } from '../support/system/requester.ts';
import type { HistoryEntry } from './workload.ts';

/** All that can be known about a run from outside. */
export interface Evidence {
  readonly oracle: readonly OracleEntry[];
  readonly journal: readonly JournalEntry[];
  /** The Journal when the queue had come to rest, before unanswered requests were sent again. */
  readonly journalAtRest: readonly JournalEntry[];
  readonly history: readonly HistoryEntry[];
}

/** What a run shows, in numbers: all but the first two must be 0. */
export interface Verdict {
  readonly requests: number;
  readonly calls: number;
  readonly ungoverned: number;
  readonly lostOutcomes: number;
  readonly unexpectedRepeats: number;
  readonly illegalPaths: number;
  /** What is wrong, in words. */
  readonly faults: readonly string[];
}

/** Checks the promises against oracle, Journal and requester history. */
export function checkPromises(evidence: Evidence): Verdict {
  const ungoverned = ungovernedCalls(evidence);
  const lost = lostOutcomes(evidence);
  const repeats = unexpectedRepeats(evidence);
  const illegal = illegalPaths(evidence);
  return {
    requests: evidence.history.length,
    calls: callsOf(evidence).length,
    ungoverned: ungoverned.length,
    lostOutcomes: lost.length,
    unexpectedRepeats: repeats.length,
    illegalPaths: illegal.length,
    faults: [...ungoverned, ...lost, ...repeats, ...illegal],
  };
}

const callsOf = ({ oracle }: Evidence): readonly OracleEntry[] => oracle.filter(({ event }) => event === 'call');

const toolFacts = (journal: readonly JournalEntry[]): readonly ToolFact[] =>
  journal.flatMap(({ fact }) => ('toolCallId' in fact.data ? [fact as ToolFact] : []));

const byToolCall = (journal: readonly JournalEntry[]) => Map.groupBy(toolFacts(journal), ({ data }) => data.toolCallId);

const isTerminal = (fact: ToolFact): fact is FactOf<'ToolExecutionCompleted'> | FactOf<'ToolExecutionFailed'> =>
  isFact(fact, 'ToolExecutionCompleted') || isFact(fact, 'ToolExecutionFailed');

/** I1, I4: the governance fact of the very attempt was stored, allowing, before its call; a denied tool is never called. */
function ungovernedCalls(evidence: Evidence): string[] {
  const governed = new Map(
    evidence.journal.flatMap(({ fact, storedAt }) =>
      isFact(fact, 'ToolExecutionGovernanceEvaluated') && fact.data.evaluations.every(({ decision }) => decision === 'Allowed')
        ? [[fact.data.invocationId, storedAt] as const]
        : [],
    ),
  );
  return callsOf(evidence).flatMap(({ invocationId = '', tool, at }) => {
    const storedAt = governed.get(invocationId);
    if (tool === 'denied') return [`invocation ${invocationId} was denied and called`];
    if (storedAt === undefined) return [`invocation ${invocationId} of ${tool} has no allowing governance fact`];
    return storedAt > Date.parse(at) ? [`invocation ${invocationId} of ${tool} was called before its fact was stored`] : [];
  });
}

/** I2, I5: an accepted request has an end in the Journal and a result, and a told success was really a call. */
function lostOutcomes(evidence: Evidence): string[] {
  const atRest = byToolCall(evidence.journalAtRest);
  const called = new Set(callsOf(evidence).map(({ invocationId }) => invocationId));
  return evidence.history.flatMap(({ request: { toolCallId }, accepted, result }) => {
    if (result?.outcome === 'Succeeded' && !called.has(result.invocationId ?? '')) return [`${toolCallId} succeeded without a call`];
    if (!result) return [`${toolCallId} has no result, although it was sent again`];
    if (!accepted || result.attempt === 0) return [];
    return (atRest.get(toolCallId) ?? []).some(isTerminal) ? [] : [`${toolCallId} left the queue without an end in the Journal`];
  });
}

/** I3: AtMostOnce is called once at most; the others once, and once more for every attempt that was left unfinished. */
function unexpectedRepeats(evidence: Evidence): string[] {
  const facts = byToolCall(evidence.journal);
  const calls = Map.groupBy(callsOf(evidence), (entry) => String(entry.arguments?.call));
  return [...calls].flatMap(([toolCallId, entries]) => {
    const again = (facts.get(toolCallId) ?? []).filter((fact) => isFact(fact, 'ToolExecutionFailed') && !fact.data.final).length;
    const allowed = entries.some(({ tool }) => tool === 'once') ? 1 : 1 + again;
    const invocations = new Set(entries.map(({ invocationId }) => invocationId));
    if (invocations.size < entries.length) return [`${toolCallId}: one permit was used for several calls`];
    return entries.length > allowed ? [`${toolCallId} was called ${entries.length} times; ${allowed} at most were to be expected`] : [];
  });
}

/** I7: the facts of a call are a legal path: one open attempt at a time, counted without a gap, and every attempt ends. */
function illegalPaths(evidence: Evidence): string[] {
  return [...byToolCall(evidence.journal)].flatMap(([toolCallId, facts]) => {
    let open: string | undefined;
    let attempts = 0;
    const faults: string[] = [];
    for (const fact of facts) {
      const { invocationId, attempt } = fact.data;
      if (isFact(fact, 'ToolExecutionStarted')) {
        if (open !== undefined) faults.push(`${toolCallId} has two open attempts`);
        if (attempt !== ++attempts) faults.push(`${toolCallId} has attempt ${attempt} in the place of ${attempts}`);
        open = invocationId;
      } else if (isFact(fact, 'ToolExecutionGovernanceEvaluated')) {
        if (open !== invocationId) faults.push(`${toolCallId} was evaluated outside of its attempt`);
      } else if (open === invocationId) open = undefined;
    }
    return open === undefined ? faults : [...faults, `${toolCallId} has an attempt that never ended`];
  });
}
