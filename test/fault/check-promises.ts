import { isFact } from '@agentstration/contracts';
import type { JournalEntry } from '../support/system/requester.ts';
import { type Evidence, byToolCall, isTerminal } from './evidence.ts';
import type { Acknowledged } from './ledger.ts';
import { nameOf } from './scopes.ts';
import { keyOf } from './workload.ts';

/** I1, I4: the governance fact of the very attempt was stored, allowing, before its call; a stopped tool is never called. */
export function ungovernedCalls({ journal, calls }: Evidence): string[] {
  const governed = new Map(
    journal.flatMap(({ fact, storedAt }) =>
      isFact(fact, 'ToolExecutionGovernanceEvaluated') && fact.data.evaluations.every(({ decision }) => decision === 'Allowed')
        ? [[fact.data.invocationId, storedAt] as const]
        : [],
    ),
  );
  return calls.flatMap(({ invocationId, tool, at }) => {
    const storedAt = governed.get(invocationId);
    if (tool === 'denied') return [`invocation ${invocationId} was stopped by a hook and called`];
    if (storedAt === undefined) return [`invocation ${invocationId} of ${tool} has no allowing governance fact`];
    return storedAt > at ? [`invocation ${invocationId} of ${tool} was called before its fact was stored`] : [];
  });
}

/** I2: what was acknowledged stands in the Journal where it was said to, and nowhere else. */
export function vanishedFacts(acknowledged: readonly Acknowledged[], journal: readonly JournalEntry[]): string[] {
  const places = Map.groupBy(journal, ({ fact }) => fact.id);
  return acknowledged.flatMap(({ subject, id, sequence }) => {
    const found = (places.get(id) ?? []).map((entry) => entry.sequence);
    return found.length === 1 && found[0] === sequence
      ? []
      : [`fact ${id} of ${subject} was acknowledged as ${sequence} and stands at ${found.join(', ') || 'no place'}`];
  });
}

/**
 * I5: every request that was accepted left the queue with a terminal fact and has a result, at the latest when it is sent
 * again; a success that was told was a call. A request whose attempt could not even be started stays in the queue.
 */
export function lostOutcomes(evidence: Evidence): string[] {
  const atRest = byToolCall(evidence.journalAtRest);
  const called = new Set(evidence.calls.map(({ invocationId }) => invocationId));
  return evidence.history.flatMap(({ party, request: { toolCallId }, accepted, result }) => {
    const key = keyOf(nameOf(party.scope), toolCallId);
    if (result?.outcome === 'Succeeded' && !called.has(result.invocationId ?? '')) return [`${key} succeeded without a call`];
    if (!result) return [`${key} has no result, although it was sent again`];
    if (!accepted || result.attempt === 0) return [];
    return (atRest.get(key) ?? []).some(isTerminal) ? [] : [`${key} left the queue without an end in the Journal`];
  });
}

/** I3: AtMostOnce is called once at most; the others once, and once more for every attempt that was left unfinished. */
export function unexpectedRepeats({ journal, calls }: Evidence): string[] {
  const facts = byToolCall(journal);
  return [...Map.groupBy(calls, ({ key }) => key)].flatMap(([key, entries]) => {
    const again = (facts.get(key) ?? []).filter((fact) => isFact(fact, 'ToolExecutionFailed') && !fact.data.final).length;
    const allowed = entries.some(({ tool }) => tool === 'once') ? 1 : 1 + again;
    const invocations = new Set(entries.map(({ invocationId }) => invocationId));
    if (invocations.size < entries.length) return [`${key}: one permit was used for several calls`];
    return entries.length > allowed ? [`${key} was called ${entries.length} times; ${allowed} at most were to be expected`] : [];
  });
}

/**
 * I7: the facts of a call are a legal path: one open attempt at a time, counted without a gap, and every attempt ends; no
 * message is missing from the Journal.
 */
export function illegalPaths({ journal, gaps }: Evidence): string[] {
  const illegal = [...byToolCall(journal)].flatMap(([key, facts]) => {
    let open: string | undefined;
    let attempts = 0;
    const faults: string[] = [];
    for (const fact of facts) {
      const { invocationId, attempt } = fact.data;
      if (isFact(fact, 'ToolExecutionStarted')) {
        if (open !== undefined) faults.push(`${key} has two open attempts`);
        if (attempt !== ++attempts) faults.push(`${key} has attempt ${attempt} in the place of ${attempts}`);
        open = invocationId;
      } else if (isFact(fact, 'ToolExecutionGovernanceEvaluated')) {
        if (open !== invocationId) faults.push(`${key} was evaluated outside of its attempt`);
      } else if (open === invocationId) open = undefined;
    }
    return open === undefined ? faults : [...faults, `${key} has an attempt that never ended`];
  });
  return [...gaps, ...illegal];
}
