import type { GovernanceRecord } from '@agentstration/governance';
import { encodeNullable, encodeText } from '../tables/text-codec.ts';
import type { EvaluationRow, MessageRow, RecordRow } from './batch-rows.ts';

/** @param place the message that opened the record, and the number of the one that had ended its attempt before */
export function toRecordRow(record: GovernanceRecord, { row, endedBy }: { row: MessageRow; endedBy: number | null }): RecordRow {
  const decided = (decision: string): boolean => record.evaluations.some((evaluation) => evaluation.decision === decision);
  return {
    workspace_key: row.workspace_key!,
    workspace_sequence: record.workspaceSequence,
    run_key: row.run_key!,
    run_sequence: record.sequence,
    recorded_at: Date.parse(record.timestamp),
    tool_call_id: encodeText(record.toolCallId),
    invocation_id: encodeText(record.invocationId),
    attempt: record.attempt,
    tool_id: encodeText(record.toolId),
    tool_name: encodeNullable(record.toolName),
    provider_id: encodeNullable(record.providerId),
    external_tool_id: encodeNullable(record.externalToolId),
    agent_id: encodeText(record.agentId),
    correlation_id: encodeNullable(record.correlationId),
    arguments_retained: record.argumentsRetained,
    arguments_truncated: record.argumentsTruncated,
    decision: record.decision,
    // A chain that nobody was in allowed the call.
    any_allowed: record.evaluations.length === 0 || decided('Allowed'),
    any_denied: decided('Denied'),
    any_failed: decided('Failed'),
    evaluations: JSON.stringify(record.evaluations),
    outcome: record.outcome,
    outcome_sequence: endedBy,
  };
}

export const toEvaluationRows = (record: GovernanceRecord, workspaceKey: number): EvaluationRow[] =>
  record.evaluations.map(({ hook, decision }, position) => ({
    workspace_key: workspaceKey,
    workspace_sequence: record.workspaceSequence,
    position,
    hook_id: encodeText(hook.id),
    resource_id: hook.resourceId === undefined ? null : encodeText(hook.resourceId),
    resource_generation: hook.resourceGeneration ?? null,
    decision,
  }));
