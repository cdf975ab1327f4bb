import type { FailureKind, Outcome, ToolFailure, ToolResult } from '@agentstration/contracts';
import type { AttemptEnd } from '@agentstration/governance';
import type { Delivery } from './delivery.ts';

type Own = Pick<ToolResult, 'invocationId' | 'attempt' | 'outcome' | 'durationMs' | 'result' | 'resultOmitted' | 'failure'>;

const resultOf = ({ request, requestId }: Delivery, own: Own): ToolResult => ({
  ownerKind: request.run.ownerKind,
  runId: request.run.runId,
  toolCallId: request.toolCallId,
  requestId,
  ...own,
});

/** No attempt was made. */
export const notStarted = (delivery: Delivery, outcome: Outcome, failure: ToolFailure): ToolResult =>
  resultOf(delivery, { invocationId: null, attempt: 0, outcome, durationMs: 0, result: null, resultOmitted: null, failure });

export const ended = (
  delivery: Delivery,
  own: Pick<ToolResult, 'attempt' | 'outcome' | 'durationMs' | 'result' | 'failure'> & { readonly invocationId: string },
): ToolResult => resultOf(delivery, { ...own, resultOmitted: null });

/** Tells a recorded outcome again. The provider's result was never kept, so it is lost. */
export function replayed(delivery: Delivery, end: AttemptEnd): ToolResult {
  const { invocationId, attempt, durationMs } = end.data;
  const told = { invocationId, attempt, durationMs, result: null, resultOmitted: 'lost' } as const;
  if (end.kind === 'Completed') return resultOf(delivery, { ...told, outcome: 'Succeeded', failure: null });
  const { failureKind, errorCode, outcome } = end.data;
  return resultOf(delivery, { ...told, outcome, failure: failureOf(failureKind, errorCode) });
}

/** A failure with the sentence that belongs to its code. A denial's own message is the hook's and is given instead. */
export const failureOf = (
  kind: FailureKind,
  code: string,
  given?: { readonly message?: string; readonly hookId?: string },
): ToolFailure => ({
  kind,
  code,
  message: given?.message ?? messages[code] ?? general[kind],
  ...(given?.hookId === undefined ? {} : { hookId: given.hookId }),
});

const general: Readonly<Record<FailureKind, string>> = {
  Denied: 'A governance hook denied the call.',
  Hook: 'A governance hook did not give a valid answer, so the tool was not called.',
  Provider: 'The tool provider failed.',
  Cancelled: 'The call was cancelled.',
  Rejected: 'The request cannot be honoured.',
};

const messages: Readonly<Record<string, string>> = {
  tool_call_mismatch: 'This toolCallId already belongs to a call of another tool or agent of the run; use a new one.',
  tool_execution_hook_resolution_failed: 'The hooks of the workspace could not be resolved, so the tool was not called.',
  tool_execution_governance_unrecorded: 'The governance record could not be written, so the tool was not called.',
  tool_execution_hook_failed: 'A governance hook failed.',
  tool_execution_hook_timed_out: 'A governance hook did not answer in time, so the tool was not called.',
  tool_not_found: 'The workspace has no such tool.',
  tool_disabled: 'The tool is disabled. An administrator enables it in its Tool resource.',
  tool_unavailable: 'The tool provider no longer offers this tool.',
  tool_provider_disabled: 'The tool provider is disabled.',
  attempt_abandoned: 'The executor stopped during the attempt; whether the tool ran is not known.',
  permit_expired: 'The provider was not ready within the life of the permit, so the tool was not called.',
  deadline_exceeded: 'The deadline of the request passed before the tool was called.',
  run_cancelled: 'The run was cancelled before the tool was called.',
  provider_timeout: 'The provider did not answer in time; the tool may have run.',
  provider_unreachable: 'The provider could not be reached; the tool was not called.',
  provider_unavailable: 'The provider is not available at the moment; the tool was not called.',
  provider_not_permitted: 'The configuration does not permit this provider here; the tool was not called.',
  provider_connection_lost: 'The connection to the provider was lost; the tool may have run.',
  provider_session_lost: 'The provider lost its session; the tool may have run.',
  provider_result_too_large: 'The result of the tool is larger than the limit.',
};
