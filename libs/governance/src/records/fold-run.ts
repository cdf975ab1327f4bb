import { type Fact, type ToolFact, isFact } from '@agentstration/contracts';
import { type TracedAttempt, evolveAttempt } from './traced-attempt.ts';
import { type GovernanceRecord, isRecordOf, toRecord } from './governance-record.ts';
import type { Numbered } from './numbered-fact.ts';
import { type ToolCallAttempts, type ToolCallTrace, toToolCallTrace } from './tool-call-trace.ts';

/** What a list of facts amounts to: attempts in the order in which they were first seen, and their records. */
export interface RunFold {
  readonly attempts: ReadonlyMap<string, TracedAttempt>;
  readonly records: ReadonlyMap<string, GovernanceRecord>;
}

export const emptyFold: RunFold = { attempts: new Map(), records: new Map() };

/** Identifies an attempt within a Run: an `invocationId` belongs to one Tool Call, whatever another one claims. */
export const attemptKey = ({ toolCallId, invocationId }: { toolCallId: string; invocationId: string }): string =>
  `${toolCallId} ${invocationId}`;

/** The ordered fold of the facts of one Run, continued from `fold`. What any projection of the Journal must equal. */
export function foldRun(facts: Iterable<Numbered>, fold: RunFold = emptyFold): RunFold {
  const attempts = new Map(fold.attempts);
  const records = new Map(fold.records);
  for (const numbered of facts) {
    if (!isToolFact(numbered)) continue;
    const key = attemptKey(numbered.fact.data);
    const attempt = evolveAttempt(attempts.get(key), numbered);
    attempts.set(key, attempt);
    const record = evolveRecord(records.get(key), attempt, numbered);
    if (record) records.set(key, record);
  }
  return { attempts, records };
}

/** What one more fact makes of the record of its attempt; undefined while there is none. */
export function evolveRecord(
  before: GovernanceRecord | undefined,
  attempt: TracedAttempt,
  { fact, ...numbers }: Numbered<ToolFact>,
): GovernanceRecord | undefined {
  const outcome = attempt.ending?.outcome ?? null;
  if (isFact(fact, 'ToolExecutionGovernanceEvaluated') && isRecordOf(attempt, numbers)) return toRecord({ ...numbers, fact }, outcome);
  return before && before.outcome !== outcome ? { ...before, outcome } : before;
}

export const isToolFact = (numbered: Numbered): numbered is Numbered<ToolFact> => isFactOfTool(numbered.fact);

const isFactOfTool = (fact: Fact): fact is ToolFact => !isFact(fact, 'RunCreated') && !isFact(fact, 'RunCancelled');

/** One entry per Tool Call, in the order of their first facts. */
export function toToolCalls({ attempts, records }: RunFold): ToolCallTrace[] {
  const calls = new Map<string, ToolCallAttempts>();
  for (const [key, latest] of attempts) {
    const before = calls.get(latest.toolCallId);
    const record = records.get(key) ?? null;
    calls.set(latest.toolCallId, { first: before?.first ?? latest, latest, count: (before?.count ?? 0) + 1, record });
  }
  return [...calls.values()].map(toToolCallTrace);
}
