import type { GovernanceRecord } from '@agentstration/governance';
import { encodeNullable, encodeText } from '../tables/text-codec.ts';
import { toDocument } from '../tables/record-document.ts';
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
    tool_id: encodeText(record.toolId),
    provider_id: encodeNullable(record.providerId),
    agent_id: encodeText(record.agentId),
    decision: record.decision,
    // A chain that nobody was in allowed the call.
    any_allowed: record.evaluations.length === 0 || decided('Allowed'),
    any_denied: decided('Denied'),
    any_failed: decided('Failed'),
    document: toDocument(record),
    arguments: record.arguments === null ? null : JSON.stringify(record.arguments),
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
