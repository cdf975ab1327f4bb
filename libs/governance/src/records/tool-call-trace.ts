import type { Decision, Evaluation, Outcome, OwnerKind } from '@agentstration/contracts';
import type { AttemptFailure, TracedAttempt, Ending } from './traced-attempt.ts';
import type { GovernanceRecord } from './governance-record.ts';

/** `Running` until the latest attempt has ended; then its outcome. */
export type ToolCallStateName = 'Running' | Outcome;

/** An outcome that came after the attempt was closed: shown, and changing nothing. */
export interface LateOutcome {
  readonly sequence: number;
  readonly timestamp: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
  readonly failure: AttemptFailure | null;
}

/** What is known of one physical attempt. */
export interface AttemptTrace {
  readonly invocationId: string;
  readonly attempt: number;
  readonly requestId: string;
  readonly toolName: string | null;
  readonly providerId: string | null;
  readonly externalToolId: string | null;
  readonly principalId: string | null;
  readonly correlationId: string | null;
  readonly startedAt: string | null;
  readonly evaluatedAt: string | null;
  readonly endedAt: string | null;
  /** Null when no governance fact of the attempt was recorded. */
  readonly decision: Decision | null;
  readonly evaluations: readonly Evaluation[];
  readonly outcome: Outcome | null;
  readonly durationMs: number | null;
  readonly toolReportedError: boolean;
  readonly failure: AttemptFailure | null;
  readonly lateOutcome: LateOutcome | null;
}

/** A logical call: where it stands, and the trace of its latest attempt. */
export interface ToolCallTrace {
  readonly ownerKind: OwnerKind;
  readonly runId: string;
  readonly toolCallId: string;
  /** Of the call's first fact in the Run. */
  readonly sequence: number;
  readonly toolId: string;
  readonly agentId: string;
  readonly state: ToolCallStateName;
  /** Whether the latest attempt ended, and no further one of its Request follows. */
  readonly final: boolean;
  readonly attempts: number;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** Of the latest attempt. */
  readonly durationMs: number | null;
  readonly failure: AttemptFailure | null;
  readonly latestAttempt: AttemptTrace;
}

/** All that a trace is made of: the first and the latest attempt of a call may be the same one. */
export interface ToolCallAttempts {
  readonly first: TracedAttempt;
  readonly latest: TracedAttempt;
  readonly count: number;
  /** The record of the latest attempt, where it has one. */
  readonly record: Pick<GovernanceRecord, 'decision' | 'evaluations'> | null;
}

export function toToolCallTrace({ first, latest, count, record }: ToolCallAttempts): ToolCallTrace {
  const { ending } = latest;
  return {
    ownerKind: latest.ownerKind,
    runId: latest.runId,
    toolCallId: latest.toolCallId,
    sequence: first.firstSequence,
    toolId: latest.toolId,
    agentId: latest.agentId,
    state: ending?.outcome ?? 'Running',
    final: ending !== null && (ending.failure?.final ?? true),
    attempts: count,
    startedAt: first.startedAt,
    endedAt: ending?.timestamp ?? null,
    durationMs: ending?.durationMs ?? null,
    failure: ending?.failure ?? null,
    latestAttempt: toAttemptTrace(latest, record),
  };
}

const toAttemptTrace = (attempt: TracedAttempt, record: ToolCallAttempts['record']): AttemptTrace => ({
  invocationId: attempt.invocationId,
  attempt: attempt.attempt,
  requestId: attempt.requestId,
  toolName: attempt.toolName,
  providerId: attempt.providerId,
  externalToolId: attempt.externalToolId,
  principalId: attempt.principalId,
  correlationId: attempt.correlationId,
  startedAt: attempt.startedAt,
  evaluatedAt: attempt.governance?.timestamp ?? null,
  endedAt: attempt.ending?.timestamp ?? null,
  decision: record?.decision ?? null,
  evaluations: record?.evaluations ?? [],
  outcome: attempt.ending?.outcome ?? null,
  durationMs: attempt.ending?.durationMs ?? null,
  toolReportedError: attempt.ending?.toolReportedError ?? false,
  failure: attempt.ending?.failure ?? null,
  lateOutcome: attempt.lateEnding && toLateOutcome(attempt.lateEnding),
});

const toLateOutcome = ({ sequence, timestamp, outcome, durationMs, failure }: Ending): LateOutcome => ({
  sequence,
  timestamp,
  outcome,
  durationMs,
  failure,
});
