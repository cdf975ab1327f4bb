import type { Decision, Evaluation, Outcome, OwnerKind } from '@agentstration/contracts';
import type { GovernanceRecord } from '@agentstration/governance';
import { decodeNullable, decodeText } from '../tables/text-codec.ts';
import type { TableNames } from '../tables/generation-tables.ts';

/** A record as the driver reads it, beside the Run it belongs to. */
export interface StoredRecord {
  readonly owner_kind: OwnerKind;
  readonly run_id: string;
  readonly run_sequence: string;
  readonly workspace_sequence: string;
  readonly recorded_at: string;
  readonly tool_call_id: string;
  readonly invocation_id: string;
  readonly attempt: number;
  readonly tool_id: string;
  readonly tool_name: string | null;
  readonly provider_id: string | null;
  readonly external_tool_id: string | null;
  readonly agent_id: string;
  readonly correlation_id: string | null;
  readonly arguments_retained: boolean;
  readonly arguments_truncated: boolean;
  readonly decision: Decision;
  readonly evaluations: string;
  readonly outcome: Outcome | null;
  /** The governance fact, where its arguments were asked for. */
  readonly payload?: Buffer | null;
}

/** The columns of `page`, a selection of records, and of the Runs they belong to. */
export const recordColumns = (withArguments: boolean, outcome = 'page.outcome'): string =>
  `${[
    ...['run_sequence', 'workspace_sequence', 'recorded_at', 'tool_call_id', 'invocation_id', 'attempt', 'tool_id', 'tool_name'],
    ...['provider_id', 'external_tool_id', 'agent_id', 'correlation_id', 'arguments_retained', 'arguments_truncated'],
    ...['decision', 'evaluations'],
  ]
    .map((column) => `page.${column}`)
    .join(', ')}, ${outcome}, run.owner_kind, run.run_id${withArguments ? ', message.payload' : ''}`;

/** Joins `page` with what a record is shown with. Arguments are read from the fact itself: they are stored once. */
export const recordJoins = (t: TableNames, withArguments: boolean): string =>
  `LEFT JOIN page ON true LEFT JOIN ${t.run} AS run ON run.run_key = page.run_key${
    withArguments
      ? ` LEFT JOIN ${t.message} AS message ON page.arguments_retained AND message.workspace_key = page.workspace_key
          AND message.workspace_sequence = page.workspace_sequence`
      : ''
  }`;

/** The rows that hold a record: a join that found none still gives one row. */
export const recordsIn = (rows: readonly Partial<StoredRecord>[]): GovernanceRecord[] =>
  rows.filter((row): row is StoredRecord => row.run_sequence !== undefined && row.run_sequence !== null).map(toGovernanceRecord);

export const toGovernanceRecord = (row: StoredRecord): GovernanceRecord => ({
  ownerKind: row.owner_kind,
  runId: decodeText(row.run_id),
  sequence: Number(row.run_sequence),
  workspaceSequence: Number(row.workspace_sequence),
  timestamp: new Date(Number(row.recorded_at)).toISOString(),
  toolCallId: decodeText(row.tool_call_id),
  invocationId: decodeText(row.invocation_id),
  attempt: row.attempt,
  toolId: decodeText(row.tool_id),
  toolName: decodeNullable(row.tool_name),
  providerId: decodeNullable(row.provider_id),
  externalToolId: decodeNullable(row.external_tool_id),
  agentId: decodeText(row.agent_id),
  correlationId: decodeNullable(row.correlation_id),
  arguments: row.payload ? argumentsIn(row.payload) : null,
  argumentsRetained: row.arguments_retained,
  argumentsTruncated: row.arguments_truncated,
  decision: row.decision,
  outcome: row.outcome,
  evaluations: JSON.parse(row.evaluations) as Evaluation[],
});

function argumentsIn(payload: Buffer): string | null {
  const { data } = JSON.parse(payload.toString('utf8')) as { data: { arguments?: { json: string } } };
  return data.arguments?.json ?? null;
}
