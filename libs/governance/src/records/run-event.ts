import { type Fact, isFact } from '@agentstration/contracts';
import type { Numbers } from './numbered-fact.ts';

/** One Journal message of a Run, as the read API shows it. */
export type RunEvent = Numbers &
  ({ readonly fact: object; readonly unreadable: null } | { readonly fact: null; readonly unreadable: string });

/** The fact without the text of retained arguments; that they were retained is still told. */
export function withholdArguments(fact: Fact): object {
  if (!isFact(fact, 'ToolExecutionGovernanceEvaluated') || !fact.data.arguments) return fact;
  return { ...fact, data: { ...fact.data, arguments: { ...fact.data.arguments, json: null } } };
}
