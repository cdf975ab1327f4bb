import type { Column } from './rows.ts';

/** The rows of a generation's tables, as the projection writes them. Texts are encoded for PostgreSQL. */
export interface WorkspaceRow {
  readonly workspace_key: number;
  readonly tenant_id: string;
  readonly workspace_id: string;
  last_sequence: number;
}
export interface RunRow {
  readonly run_key: number;
  readonly workspace_key: number;
  readonly owner_kind: string;
  readonly run_id: string;
  last_sequence: number;
}
export interface MessageRow {
  readonly journal_sequence: number;
  readonly workspace_key: number | null;
  readonly workspace_sequence: number | null;
  readonly run_key: number | null;
  readonly run_sequence: number | null;
  /** The record that this message opened or ended. */
  record_sequence: number | null;
  readonly stored_at: number;
}
export interface AttemptRow {
  readonly run_key: number;
  readonly workspace_key: number;
  readonly tool_call_id: string;
  /** 1, 2, 3, … within the Tool Call, in the order of first facts. */
  readonly ordinal: number;
  readonly invocation_id: string;
  readonly attempt: number;
  readonly request_id: string;
  readonly tool_id: string;
  readonly tool_name: string | null;
  readonly provider_id: string | null;
  readonly external_tool_id: string | null;
  readonly agent_id: string;
  readonly principal_id: string | null;
  readonly correlation_id: string | null;
  readonly first_sequence: number;
  readonly last_workspace_sequence: number;
  readonly started_at: number | null;
  readonly governance: string | null;
  readonly ending: string | null;
  readonly late_ending: string | null;
}
export interface RecordRow {
  readonly workspace_key: number;
  readonly workspace_sequence: number;
  readonly run_key: number;
  readonly run_sequence: number;
  readonly recorded_at: number;
  readonly tool_call_id: string;
  readonly invocation_id: string;
  readonly tool_id: string;
  readonly provider_id: string | null;
  readonly agent_id: string;
  readonly decision: string;
  readonly any_allowed: boolean;
  readonly any_denied: boolean;
  readonly any_failed: boolean;
  /** The record as JSON, without what is not known yet or not for everyone: outcome and arguments. */
  readonly document: string;
  /** The retained text, as a JSON string. */
  readonly arguments: string | null;
  outcome: string | null;
  outcome_sequence: number | null;
}
export interface RecordOutcomeRow {
  readonly workspace_key: number;
  readonly workspace_sequence: number;
  /** `Running` until the attempt has ended. */
  readonly outcome: string;
  /** The message that ended the attempt. */
  readonly outcome_sequence: number | null;
}
export interface EvaluationRow {
  readonly workspace_key: number;
  readonly workspace_sequence: number;
  readonly position: number;
  readonly hook_id: string;
  readonly resource_id: string | null;
  readonly resource_generation: number | null;
  readonly decision: string;
}
export interface HourRow {
  readonly workspace_key: number;
  readonly hour: number;
  first_sequence: number;
  last_sequence: number;
}
export interface DeadLetterRow {
  readonly journal_sequence: number;
  readonly workspace_key: number | null;
  readonly workspace_sequence: number | null;
  readonly subject: string;
  readonly reason: string;
  readonly payload_size: number;
  /** Hex. */
  readonly payload_sha256: string;
  readonly stored_at: number;
}

export const workspaceColumns: readonly Column<WorkspaceRow>[] = [
  ['workspace_key', 'integer'],
  ['tenant_id', 'text'],
  ['workspace_id', 'text'],
  ['last_sequence', 'bigint'],
];
export const runColumns: readonly Column<RunRow>[] = [
  ['run_key', 'bigint'],
  ['workspace_key', 'integer'],
  ['owner_kind', 'text'],
  ['run_id', 'text'],
  ['last_sequence', 'bigint'],
];
export const messageColumns: readonly Column<MessageRow>[] = [
  ['journal_sequence', 'bigint'],
  ['workspace_key', 'integer'],
  ['workspace_sequence', 'bigint'],
  ['run_key', 'bigint'],
  ['run_sequence', 'bigint'],
  ['record_sequence', 'bigint'],
  ['stored_at', 'bigint'],
];
export const attemptKey: readonly Column<AttemptRow>[] = [
  ['run_key', 'bigint'],
  ['tool_call_id', 'text'],
  ['ordinal', 'integer'],
];
export const attemptIdentity: readonly Column<AttemptRow>[] = [
  ['workspace_key', 'integer'],
  ['invocation_id', 'text'],
  ['attempt', 'integer'],
  ['request_id', 'text'],
  ['tool_id', 'text'],
  ['tool_name', 'text'],
  ['provider_id', 'text'],
  ['external_tool_id', 'text'],
  ['agent_id', 'text'],
  ['principal_id', 'text'],
  ['correlation_id', 'text'],
  ['first_sequence', 'bigint'],
];
export const attemptProgress: readonly Column<AttemptRow>[] = [
  ['last_workspace_sequence', 'bigint'],
  ['started_at', 'bigint'],
  ['governance', 'text'],
  ['ending', 'text'],
  ['late_ending', 'text'],
];
export const recordColumns: readonly Column<RecordRow>[] = [
  ['workspace_key', 'integer'],
  ['workspace_sequence', 'bigint'],
  ['run_key', 'bigint'],
  ['run_sequence', 'bigint'],
  ['recorded_at', 'bigint'],
  ['tool_call_id', 'text'],
  ['invocation_id', 'text'],
  ['tool_id', 'text'],
  ['provider_id', 'text'],
  ['agent_id', 'text'],
  ['decision', 'text'],
  ['any_allowed', 'boolean'],
  ['any_denied', 'boolean'],
  ['any_failed', 'boolean'],
  ['document', 'text'],
  ['arguments', 'text'],
  ['outcome', 'text'],
  ['outcome_sequence', 'bigint'],
];
export const recordKey: readonly Column<RecordOutcomeRow>[] = [
  ['workspace_key', 'integer'],
  ['workspace_sequence', 'bigint'],
];
export const outcomeColumn: Column<RecordOutcomeRow> = ['outcome', 'text'];
export const outcomeSequenceColumn: Column<RecordOutcomeRow> = ['outcome_sequence', 'bigint'];
export const evaluationColumns: readonly Column<EvaluationRow>[] = [
  ['workspace_key', 'integer'],
  ['workspace_sequence', 'bigint'],
  ['position', 'smallint'],
  ['hook_id', 'text'],
  ['resource_id', 'text'],
  ['resource_generation', 'bigint'],
  ['decision', 'text'],
];
export const hourColumns: readonly Column<HourRow>[] = [
  ['workspace_key', 'integer'],
  ['hour', 'integer'],
  ['first_sequence', 'bigint'],
  ['last_sequence', 'bigint'],
];
