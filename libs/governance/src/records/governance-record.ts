import type { Decision, Evaluation, FactOf, Outcome, OwnerKind } from '@agentstration/contracts';
import type { TracedAttempt } from './traced-attempt.ts';
import { type Numbered, type Numbers, timestampOf } from './numbered-fact.ts';

/** What was evaluated for one physical attempt, and what became of it. Its numbers are those of its governance fact. */
export interface GovernanceRecord extends Numbers {
  readonly ownerKind: OwnerKind;
  readonly runId: string;
  readonly timestamp: string;
  readonly toolCallId: string;
  readonly invocationId: string;
  readonly attempt: number;
  readonly toolId: string;
  readonly toolName: string | null;
  readonly providerId: string | null;
  readonly externalToolId: string | null;
  readonly agentId: string;
  readonly correlationId: string | null;
  /** The retained text; null when nothing was retained, or the reader may not see it. */
  readonly arguments: string | null;
  readonly argumentsRetained: boolean;
  readonly argumentsTruncated: boolean;
  readonly decision: Decision;
  /** Null while the attempt runs. */
  readonly outcome: Outcome | null;
  readonly evaluations: readonly Evaluation[];
}

/** Denied if any hook denied, else failed if any failed; a chain that nobody stopped, or nobody was in, allowed. */
export function decisionOf(evaluations: readonly Evaluation[]): Decision {
  if (evaluations.some(({ decision }) => decision === 'Denied')) return 'Denied';
  if (evaluations.some(({ decision }) => decision === 'Failed')) return 'Failed';
  return 'Allowed';
}

/** The record that a governance fact opens. */
export function toRecord(
  { sequence, workspaceSequence, fact }: Numbered<FactOf<'ToolExecutionGovernanceEvaluated'>>,
  outcome: Outcome | null,
): GovernanceRecord {
  const { data } = fact;
  return {
    ownerKind: data.ownerKind,
    runId: data.runId,
    sequence,
    workspaceSequence,
    timestamp: timestampOf(fact),
    toolCallId: data.toolCallId,
    invocationId: data.invocationId,
    attempt: data.attempt,
    toolId: data.toolId,
    toolName: data.toolName,
    providerId: data.providerId,
    externalToolId: data.externalToolId,
    agentId: data.agentId,
    correlationId: data.correlationId ?? null,
    arguments: data.arguments?.json ?? null,
    argumentsRetained: data.arguments !== undefined,
    argumentsTruncated: data.arguments?.truncated ?? false,
    decision: decisionOf(data.evaluations),
    outcome,
    evaluations: data.evaluations.map(toEvaluation),
  };
}

/** The safe contract only: a later version's additions to an evaluation stay in the Journal. */
const toEvaluation = ({ hook, decision, code }: Evaluation): Evaluation => ({
  hook: {
    id: hook.id,
    order: hook.order,
    source: hook.source,
    ...(hook.resourceId !== undefined && { resourceId: hook.resourceId }),
    ...(hook.resourceGeneration !== undefined && { resourceGeneration: hook.resourceGeneration }),
  },
  decision,
  ...(code !== undefined && { code }),
});

/** Whether the record of this attempt is the one that this fact opened: the first governance fact stands. */
export const isRecordOf = (attempt: TracedAttempt, { workspaceSequence }: Numbers): boolean =>
  attempt.governance?.workspaceSequence === workspaceSequence;
