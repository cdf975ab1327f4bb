import type { OwnerKind } from '@agentstration/contracts';
import type { Ending, GovernanceMark, TracedAttempt } from '@agentstration/governance';
import type { AttemptRow } from '../project/batch-rows.ts';
import { decodeNullable, decodeText, encodeNullable, encodeText } from './text-codec.ts';

/** The place of an attempt in its table. */
export interface AttemptPlace {
  readonly run_key: number;
  readonly workspace_key: number;
  readonly ordinal: number;
}

/** JSON text holds any string: it escapes U+0000 and lone surrogates by itself. */
const toJson = (value: object | null): string | null => (value === null ? null : JSON.stringify(value));
const fromJson = <T>(stored: string | null): T | null => (stored === null ? null : (JSON.parse(stored) as T));

export const toAttemptRow = (state: TracedAttempt, { run_key, workspace_key, ordinal }: AttemptPlace): AttemptRow => ({
  run_key,
  workspace_key,
  tool_call_id: encodeText(state.toolCallId),
  ordinal,
  invocation_id: encodeText(state.invocationId),
  attempt: state.attempt,
  request_id: encodeText(state.requestId),
  tool_id: encodeText(state.toolId),
  tool_name: encodeNullable(state.toolName),
  provider_id: encodeNullable(state.providerId),
  external_tool_id: encodeNullable(state.externalToolId),
  agent_id: encodeText(state.agentId),
  principal_id: encodeNullable(state.principalId),
  correlation_id: encodeNullable(state.correlationId),
  first_sequence: state.firstSequence,
  last_workspace_sequence: state.lastWorkspaceSequence,
  started_at: state.startedAt === null ? null : Date.parse(state.startedAt),
  governance: toJson(state.governance),
  ending: toJson(state.ending),
  late_ending: toJson(state.lateEnding),
});

/** An attempt's row as the driver reads it: `bigint` columns come as text. */
export type StoredAttempt = { readonly [Name in keyof AttemptRow]: Name extends BigintColumn ? string : AttemptRow[Name] } & {
  readonly started_at: string | null;
};
type BigintColumn = 'run_key' | 'first_sequence' | 'last_workspace_sequence' | 'started_at';

export const fromAttemptRow = (row: StoredAttempt, run: { readonly ownerKind: OwnerKind; readonly runId: string }): TracedAttempt => ({
  ...run,
  toolCallId: decodeText(row.tool_call_id),
  invocationId: decodeText(row.invocation_id),
  attempt: row.attempt,
  requestId: decodeText(row.request_id),
  toolId: decodeText(row.tool_id),
  toolName: decodeNullable(row.tool_name),
  providerId: decodeNullable(row.provider_id),
  externalToolId: decodeNullable(row.external_tool_id),
  agentId: decodeText(row.agent_id),
  principalId: decodeNullable(row.principal_id),
  correlationId: decodeNullable(row.correlation_id),
  firstSequence: Number(row.first_sequence),
  lastWorkspaceSequence: Number(row.last_workspace_sequence),
  startedAt: row.started_at === null ? null : new Date(Number(row.started_at)).toISOString(),
  governance: fromJson<GovernanceMark>(row.governance),
  ending: fromJson<Ending>(row.ending),
  lateEnding: fromJson<Ending>(row.late_ending),
});
