import { isFact } from '@agentstration/contracts';
import { type CallFact, type Evidence, isTerminal } from './evidence.ts';

/** An attempt in a line: `acme/support F1-7-1-12 attempt 1 (0197…) governed ended`. */
const line = (key: string, attempt: { invocationId: string; attempt: number; governed: boolean; ended: boolean }): string =>
  `${key} attempt ${attempt.attempt} (${attempt.invocationId})${attempt.governed ? ' governed' : ''}${attempt.ended ? ' ended' : ' open'}`;

/**
 * I6: the database has exactly the attempts of the Journal, each as far as its facts are, and none is open once everything
 * has come to rest; whatever was called has its governed row.
 */
export function unequalRows({ journal, calls, attempts }: Evidence): string[] {
  const recorded = new Set([...Map.groupBy(journal, ({ key, fact }) => `${key} ${fact.data.invocationId}`).values()].map(toLine));
  const rows = new Set(attempts.map((row) => line(row.key, row)));
  const governed = new Set(attempts.filter((row) => row.governed).map(({ key, invocationId }) => `${key} ${invocationId}`));
  return [
    ...[...recorded].filter((attempt) => !rows.has(attempt)).map((attempt) => `the database does not have ${attempt}`),
    ...[...rows].filter((row) => !recorded.has(row)).map((row) => `the Journal does not have ${row}`),
    ...attempts.filter(({ ended }) => !ended).map((row) => `the database has ${line(row.key, row)}`),
    ...calls
      .filter(({ key, invocationId }) => !governed.has(`${key} ${invocationId}`))
      .map(({ key, invocationId }) => `the database has no governed row of the call ${invocationId} of ${key}`),
  ];
}

function toLine(facts: readonly CallFact[]): string {
  const [{ key, fact }] = facts as [CallFact];
  const governed = facts.some((of) => isFact(of.fact, 'ToolExecutionGovernanceEvaluated'));
  return line(key, { ...fact.data, governed, ended: facts.some((of) => isTerminal(of.fact)) });
}
