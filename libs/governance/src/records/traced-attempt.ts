import {
  type Delivery,
  type FactOf,
  type FailureKind,
  type Outcome,
  type OwnerKind,
  type ToolFact,
  isFact,
} from '@agentstration/contracts';
import { type Numbered, type Numbers, timestampOf } from './numbered-fact.ts';

/** How an attempt ended, as a terminal fact says it. */
export interface Ending extends Numbers {
  readonly timestamp: string;
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** The tool itself answered `isError: true`; always false for a failure. */
  readonly toolReportedError: boolean;
  readonly failure: AttemptFailure | null;
}

export interface AttemptFailure {
  readonly kind: FailureKind;
  /** `attempt_abandoned` for an attempt whose executor died. */
  readonly code: string;
  readonly errorType: string;
  /** No further attempt of the same Request follows. */
  readonly final: boolean;
}

/** When the hook chain of the attempt was evaluated, and which record tells how. */
export interface GovernanceMark extends Numbers {
  readonly timestamp: string;
  readonly delivery: Delivery;
}

/** One physical attempt, as its facts tell it so far. Identities are those of the first fact seen. */
export interface TracedAttempt {
  readonly ownerKind: OwnerKind;
  readonly runId: string;
  readonly toolCallId: string;
  readonly invocationId: string;
  readonly attempt: number;
  readonly requestId: string;
  readonly toolId: string;
  readonly toolName: string | null;
  readonly providerId: string | null;
  readonly externalToolId: string | null;
  readonly agentId: string;
  readonly principalId: string | null;
  readonly correlationId: string | null;
  readonly firstSequence: number;
  /** The newest fact of the attempt, in the Workspace's numbering. */
  readonly lastWorkspaceSequence: number;
  /** Null for an attempt whose Started was not seen. */
  readonly startedAt: string | null;
  readonly governance: GovernanceMark | null;
  /** The first terminal fact: it stands. Null while the attempt runs. */
  readonly ending: Ending | null;
  /** The first terminal fact after the one that stands: an outcome that came too late to count. */
  readonly lateEnding: Ending | null;
}

/**
 * What one more fact makes of an attempt. Total: facts in any order give a state. The first Started, the first
 * governance fact and the first terminal fact stand; a second terminal fact is kept as what it is, a late one.
 */
export function evolveAttempt(before: TracedAttempt | undefined, numbered: Numbered<ToolFact>): TracedAttempt {
  const { fact, workspaceSequence } = numbered;
  const state: TracedAttempt = { ...(before ?? firstSeen(numbered)), lastWorkspaceSequence: workspaceSequence };
  if (isFact(fact, 'ToolExecutionStarted')) return { ...state, startedAt: state.startedAt ?? timestampOf(fact) };
  if (isFact(fact, 'ToolExecutionGovernanceEvaluated')) return { ...state, governance: state.governance ?? toMark(numbered, fact) };
  const ending = toEnding(numbered, fact);
  return state.ending === null ? { ...state, ending } : { ...state, lateEnding: state.lateEnding ?? ending };
}

function firstSeen({ fact, sequence, workspaceSequence }: Numbered<ToolFact>): TracedAttempt {
  const { data } = fact;
  return {
    ownerKind: data.ownerKind,
    runId: data.runId,
    toolCallId: data.toolCallId,
    invocationId: data.invocationId,
    attempt: data.attempt,
    requestId: data.requestId,
    toolId: data.toolId,
    toolName: data.toolName,
    providerId: data.providerId,
    externalToolId: data.externalToolId,
    agentId: data.agentId,
    principalId: data.principalId ?? null,
    correlationId: data.correlationId ?? null,
    firstSequence: sequence,
    lastWorkspaceSequence: workspaceSequence,
    startedAt: null,
    governance: null,
    ending: null,
    lateEnding: null,
  };
}

const toMark = ({ sequence, workspaceSequence }: Numbers, fact: FactOf<'ToolExecutionGovernanceEvaluated'>): GovernanceMark => ({
  sequence,
  workspaceSequence,
  timestamp: timestampOf(fact),
  delivery: fact.data.delivery,
});

function toEnding(
  { sequence, workspaceSequence }: Numbers,
  fact: FactOf<'ToolExecutionCompleted'> | FactOf<'ToolExecutionFailed'>,
): Ending {
  const common = { sequence, workspaceSequence, timestamp: timestampOf(fact), durationMs: fact.data.durationMs };
  if (!('failureKind' in fact.data)) {
    return { ...common, outcome: 'Succeeded', toolReportedError: fact.data.toolReportedError, failure: null };
  }
  const { outcome, failureKind: kind, errorCode: code, errorType, final } = fact.data;
  return { ...common, outcome, toolReportedError: false, failure: { kind, code, errorType, final } };
}
