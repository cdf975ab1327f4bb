import { randomBytes } from 'node:crypto';
import {
  type CompletedData,
  type ErrorType,
  type FactOf,
  type FailedData,
  type GovernanceEvaluatedData,
  type ToolFactData,
  type ToolFactName,
  cloudEventType,
  toolCallJournalSubject,
} from '@agentstration/contracts';
import type { CatalogueEntry } from '@agentstration/governance';
import { currentTraceparent } from '../trace-attempts/trace-attempt.ts';
import { type Delivery, toolCallOf } from './delivery.ts';
import type { ExecutorParts } from './executor-parts.ts';

/** A physical attempt under way. */
export interface Attempt {
  readonly delivery: Delivery;
  readonly invocationId: string;
  /** Counts the Started facts of the Tool Call. */
  readonly number: number;
  /** Counts the Started facts of this Request. */
  readonly numberOfRequest: number;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Undefined while, or because, the catalogue does not know the Tool. */
  readonly entry: CatalogueEntry | undefined;
}

/** The terminal fact of a failure, without what every fact says. */
export interface Failure extends Pick<FailedData, 'failureKind' | 'outcome' | 'errorCode' | 'final'> {
  readonly errorType: ErrorType;
}

/** The subject that carries every fact of the attempt's Tool Call. */
export const subjectOf = (delivery: Delivery): string => toolCallJournalSubject(toolCallOf(delivery));

export const startedFact = (parts: ExecutorParts, attempt: Attempt): FactOf<'ToolExecutionStarted'> => ({
  ...envelope(parts, attempt, 'ToolExecutionStarted'),
  queueposition: attempt.delivery.queuePosition,
  data: dataOf(attempt),
});

export const governanceFact = (
  parts: ExecutorParts,
  attempt: Attempt,
  own: Pick<GovernanceEvaluatedData, 'evaluations' | 'delivery' | 'arguments'>,
): FactOf<'ToolExecutionGovernanceEvaluated'> => ({
  ...envelope(parts, attempt, 'ToolExecutionGovernanceEvaluated'),
  data: { ...dataOf(attempt), ...own },
});

export const completedFact = (
  parts: ExecutorParts,
  attempt: Attempt,
  own: Pick<CompletedData, 'durationMs' | 'toolReportedError'>,
): FactOf<'ToolExecutionCompleted'> => ({ ...envelope(parts, attempt, 'ToolExecutionCompleted'), data: { ...dataOf(attempt), ...own } });

export const failedFact = (
  parts: ExecutorParts,
  attempt: Attempt,
  own: Failure & Pick<FailedData, 'durationMs'>,
): FactOf<'ToolExecutionFailed'> => ({
  ...envelope(parts, attempt, 'ToolExecutionFailed'),
  data: { ...dataOf(attempt), ...own },
});

/** Closes an attempt whose executor died, under the identities of that attempt's own facts. */
export const abandonedFact = (
  parts: ExecutorParts,
  delivery: Delivery,
  own: { readonly started: ToolFactData; readonly outcome: 'Unknown' | 'Failed'; readonly final: boolean },
): FactOf<'ToolExecutionFailed'> => ({
  ...envelopeFor(parts, delivery, 'ToolExecutionFailed'),
  data: {
    ...own.started,
    durationMs: 0,
    failureKind: 'Provider',
    outcome: own.outcome,
    errorCode: 'attempt_abandoned',
    errorType: 'AttemptAbandoned',
    final: own.final,
  },
});

/** Milliseconds since the attempt began, with the precision that a reader can use. */
export const durationOf = (parts: ExecutorParts, attempt: Attempt): number =>
  Math.round((parts.clock.monotonic() - attempt.startedAt) * 1000) / 1000;

type Envelope<Name extends ToolFactName> = Omit<FactOf<Name>, 'data' | 'queueposition'>;

const envelope = <Name extends ToolFactName>(parts: ExecutorParts, attempt: Attempt, name: Name): Envelope<Name> =>
  envelopeFor(parts, attempt.delivery, name);

function envelopeFor<Name extends ToolFactName>(parts: ExecutorParts, delivery: Delivery, name: Name): Envelope<Name> {
  const traceparent = currentTraceparent() ?? childOf(delivery.traceparent);
  return {
    specversion: '1.0',
    id: parts.newId(),
    source: parts.source,
    type: cloudEventType(name),
    subject: delivery.request.toolCallId,
    time: parts.clock.now().toISOString(),
    datacontenttype: 'application/json',
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** The same trace, a span of our own that nobody exports: W3C Trace Context, section 3.2. */
function childOf(traceparent: string | undefined): string | undefined {
  if (traceparent === undefined) return undefined;
  const [version, traceId, , flags] = traceparent.split('-');
  return [version, traceId, randomBytes(8).toString('hex'), flags].join('-');
}

function dataOf({ delivery, entry, invocationId, number }: Attempt): ToolFactData {
  const { request, requestId } = delivery;
  const { agentVersion, agentGeneration, agentRevisionId, principalId, correlationId } = request;
  const optional = { agentVersion, agentGeneration, agentRevisionId, principalId, correlationId };
  return {
    ownerKind: request.run.ownerKind,
    runId: request.run.runId,
    toolCallId: request.toolCallId,
    invocationId,
    attempt: number,
    requestId,
    toolId: request.toolId,
    toolName: entry?.toolName ?? null,
    providerId: entry?.provider.providerId ?? null,
    externalToolId: entry?.externalToolId ?? null,
    agentId: request.agentId,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
  };
}
