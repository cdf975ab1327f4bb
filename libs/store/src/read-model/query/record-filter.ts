import type { Decision, Outcome } from '@agentstration/contracts';
import type { Parameters } from '../project/rows.ts';
import type { TableNames } from '../tables/generation-tables.ts';
import { encodeText } from '../tables/text-codec.ts';

/** Which records: all that is given must hold. Texts are compared exactly. */
export interface RecordFilter {
  readonly toolCallId?: string;
  readonly invocationId?: string;
  readonly toolId?: string;
  readonly agentId?: string;
  readonly providerId?: string;
  /** A hook id or a resource id. With `resourceGeneration` and `decision` it must hold for one and the same evaluation. */
  readonly hookId?: string;
  readonly resourceGeneration?: number;
  /** Alone, `Allowed` also finds attempts without evaluations. */
  readonly decision?: Decision;
  /** `Running`: not ended yet. */
  readonly outcome?: Outcome | 'Running';
  /** Milliseconds since 1970: recorded at or after, and before. */
  readonly from?: number;
  readonly to?: number;
}

/** Whether nothing is asked for: then the statement is the same for everyone. */
export const isEverything = (filter: RecordFilter): boolean => Object.keys(filter).length === 0;

const columns = {
  toolCallId: 'tool_call_id',
  invocationId: 'invocation_id',
  toolId: 'tool_id',
  agentId: 'agent_id',
  providerId: 'provider_id',
} as const;

const flags: Record<Decision, string> = { Allowed: 'any_allowed', Denied: 'any_denied', Failed: 'any_failed' };

/** The conditions on `rec`, a record; empty when everything matches. */
export function recordConditions(filter: RecordFilter, t: TableNames, to: Parameters): string[] {
  const exact = (Object.keys(columns) as (keyof typeof columns)[]).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [`rec.${columns[name]} = ${to.add(encodeText(value))}`];
  });
  return [...exact, ...evaluationCondition(filter, t, to), ...outcomeCondition(filter, t, to), ...timeConditions(filter, t, to)];
}

function evaluationCondition({ hookId, resourceGeneration, decision }: RecordFilter, t: TableNames, to: Parameters): string[] {
  if (hookId === undefined && resourceGeneration === undefined) return decision ? [`rec.${flags[decision]}`] : [];
  const conditions: string[] = [];
  if (hookId !== undefined) {
    const id = to.add(encodeText(hookId));
    conditions.push(`(e.hook_id = ${id} OR e.resource_id = ${id})`);
  }
  if (resourceGeneration !== undefined) conditions.push(`e.resource_generation = ${to.add(resourceGeneration)}`);
  if (decision !== undefined) conditions.push(`e.decision = ${to.add(decision)}`);
  return [
    `EXISTS (SELECT FROM ${t.evaluation} AS e WHERE e.workspace_key = rec.workspace_key
       AND e.workspace_sequence = rec.workspace_sequence AND ${conditions.join(' AND ')})`,
  ];
}

/** Outcomes have a table of their own, which the index of the outcome needs: the record's own column is not indexed. */
function outcomeCondition({ outcome }: RecordFilter, t: TableNames, to: Parameters): string[] {
  if (outcome === undefined) return [];
  return [
    `EXISTS (SELECT FROM ${t.record_outcome} AS o WHERE o.workspace_key = rec.workspace_key
       AND o.workspace_sequence = rec.workspace_sequence AND o.outcome = ${to.add(outcome)})`,
  ];
}

/**
 * A time is a range of numbers, wide enough: the hours know which numbers they have. So a time needs no index of its own,
 * and every other index still gives the order.
 */
function timeConditions({ from, to: until }: RecordFilter, t: TableNames, to: Parameters): string[] {
  const conditions: string[] = [];
  const hours = (bound: string, hour: number, choose: string): string =>
    `(SELECT ${choose} FROM ${t.hour} AS h WHERE h.workspace_key = (SELECT workspace_key FROM owner) AND h.hour ${bound} ${to.add(hour)})`;
  if (from !== undefined) {
    conditions.push(`rec.recorded_at >= ${to.add(from)}`);
    conditions.push(`rec.workspace_sequence >= ${hours('>=', hourOf(from), 'min(h.first_sequence)')}`);
  }
  if (until !== undefined) {
    conditions.push(`rec.recorded_at < ${to.add(until)}`);
    conditions.push(`rec.workspace_sequence <= ${hours('<=', hourOf(until), 'max(h.last_sequence)')}`);
  }
  return conditions;
}

/** The hour of a time, within what the column holds. */
const hourOf = (time: number): number => Math.max(-2_147_483_648, Math.min(2_147_483_647, Math.floor(time / 3_600_000)));
