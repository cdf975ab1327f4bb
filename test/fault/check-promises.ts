import { type ToolFact, isFact } from '@agentstration/contracts';
import type { OracleEntry } from '../support/mcp/test-server.ts';
import type { JournalEntry } from '../support/system/requester.ts';
import type { HistoryEntry } from './workload.ts';

/** All that can be known about a run from outside. */
export interface Evidence {
  readonly oracle: readonly OracleEntry[];
  readonly journal: readonly JournalEntry[];
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
    requests: evidence.history.filter(({ accepted }) => accepted).length,
    calls: evidence.oracle.filter(({ event }) => event === 'call').length,
    ungoverned: ungoverned.length,
    lostOutcomes: lost.length,
    unexpectedRepeats: repeats.length,
    illegalPaths: illegal.length,
    faults: [...ungoverned, ...lost, ...repeats, ...illegal],
  };
}

const callIdOf = (entry: OracleEntry): string => String(entry.arguments?.call);

const factsOf = ({ journal }: Evidence, toolCallId: string): readonly ToolFact[] =>
  journal.map(({ fact }) => fact as ToolFact).filter(({ data }) => data.toolCallId === toolCallId);

/** I1, I4: as many allowed governance facts as calls, call by call; a denied tool is never called. */
function ungovernedCalls(evidence: Evidence): string[] {
  const calls = Map.groupBy(
    evidence.oracle.filter(({ event }) => event === 'call'),
    callIdOf,
  );
  return [...calls].flatMap(([toolCallId, entries]) => {
    const allowed = factsOf(evidence, toolCallId).filter(
      (fact) => isFact(fact, 'ToolExecutionGovernanceEvaluated') && fact.data.evaluations.every(({ decision }) => decision === 'Allowed'),
    );
    const denied = entries.some(({ tool }) => tool === 'denied') ? [`${toolCallId} was denied and called`] : [];
    return allowed.length >= entries.length
      ? denied
      : [`${toolCallId}: ${entries.length} calls, ${allowed.length} allowed facts`, ...denied];
  });
}

/** I2, I5: an accepted request has a terminal fact and a result, and a told success was really a call. */
function lostOutcomes(evidence: Evidence): string[] {
  return evidence.history.flatMap(({ request, accepted, result }) => {
    if (!accepted) return [];
    const { toolCallId } = request;
    if (!result) return [`${toolCallId} was accepted and has no result`];
    const terminal = factsOf(evidence, toolCallId).some(
      (fact) => isFact(fact, 'ToolExecutionCompleted') || isFact(fact, 'ToolExecutionFailed'),
    );
    return terminal ? [] : [`${toolCallId} has a result and no terminal fact`];
  });
}

/** I3: an AtMostOnce call reaches its tool at most once; the others as often as attempts were allowed. */
function unexpectedRepeats(evidence: Evidence): string[] {
  const once = evidence.oracle.filter(({ event, tool }) => event === 'call' && tool === 'once').map(callIdOf);
  return [...Map.groupBy(once, (toolCallId) => toolCallId)].flatMap(([toolCallId, calls]) =>
    calls.length > 1 ? [`${toolCallId} is AtMostOnce and was called ${calls.length} times`] : [],
  );
}

/** I7: the facts of a call are a legal path: one open attempt at a time, and every attempt ends. */
function illegalPaths(evidence: Evidence): string[] {
  const ids = new Set(evidence.journal.map(({ fact }) => (fact as ToolFact).data.toolCallId));
  return [...ids].flatMap((toolCallId) => {
    let open: string | undefined;
    const faults: string[] = [];
    for (const fact of factsOf(evidence, toolCallId)) {
      const { invocationId } = fact.data;
      if (isFact(fact, 'ToolExecutionStarted')) {
        if (open !== undefined) faults.push(`${toolCallId} has two open attempts`);
        open = invocationId;
      } else if (isFact(fact, 'ToolExecutionGovernanceEvaluated')) {
        if (open !== invocationId) faults.push(`${toolCallId} was evaluated outside of its attempt`);
      } else if (open === invocationId) open = undefined;
    }
    return open === undefined ? faults : [...faults, `${toolCallId} has an attempt that never ended`];
  });
}
