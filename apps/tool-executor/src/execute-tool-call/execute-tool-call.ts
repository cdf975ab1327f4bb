import {
  type AttemptContext,
  type DeliveryDecision,
  JournalUnavailable,
  type ToolCallState,
  decideDelivery,
  foldToolCall,
  initialToolCallState,
  largestRedeliveryDelayMs,
  recordFact,
} from '@agentstration/governance';
import { traceAttempt } from '../trace-attempts/trace-attempt.ts';
import { type Attempt, abandonedFact, subjectOf } from './attempt.ts';
import { type Delivery, type DeliveryEnd, toolCallOf } from './delivery.ts';
import type { ExecutorParts } from './executor-parts.ts';
import { isPast, runAttempt } from './run-attempt.ts';
import { failureOf, notStarted, replayed } from './tool-results.ts';

/** Looks at the facts of the call that are worth it before the Request is given back to the queue. */
const maximumRounds = 8;
const waitForOtherMs = 2_000;

/**
 * Carries one delivered Request as far as it goes: recovers what an executor left open, replays what has ended, or makes
 * a new attempt. Rejects only for faults of our own making; the Request is then delivered again.
 */
export async function executeToolCall(parts: ExecutorParts, delivery: Delivery): Promise<DeliveryEnd> {
  try {
    let state = delivery.redelivered ? await readState(parts, delivery) : undefined;
    for (let round = 0; round < maximumRounds; round++) {
      const step = await takeStep(parts, delivery, state);
      if (step.kind !== 'look_again') return step;
      state = await readState(parts, delivery);
    }
    return { kind: 'again', delayMs: waitForOtherMs };
  } catch (error) {
    if (!(error instanceof JournalUnavailable)) throw error;
    parts.log.warn(
      { ...delivery.scope, requestId: delivery.requestId, reason: error.message },
      'the facts of a tool call cannot be read; the request waits',
    );
    return { kind: 'again', delayMs: largestRedeliveryDelayMs(parts.settings.redeliveryDelaysMs) };
  }
}

type Step = DeliveryEnd | { readonly kind: 'look_again' };

/** @param state undefined on a first delivery: most calls have no facts yet, and the fence of Started finds out for free */
async function takeStep(parts: ExecutorParts, delivery: Delivery, state: ToolCallState | undefined): Promise<Step> {
  const decision = await decide(parts, delivery, state ?? initialToolCallState);
  switch (decision.kind) {
    case 'start':
      return start(parts, delivery, { decision, certain: state !== undefined });
    case 'replay':
      return { kind: 'finished', result: replayed(delivery, decision.end) };
    case 'wait':
      return { kind: 'again', delayMs: waitForOtherMs };
    case 'reject':
      return { kind: 'finished', result: notStarted(delivery, 'Failed', failureOf('Rejected', decision.code)) };
    case 'close_abandoned':
      return closeAbandoned(parts, delivery, decision);
  }
}

async function decide(parts: ExecutorParts, delivery: Delivery, state: ToolCallState): Promise<DeliveryDecision> {
  const { newest } = state;
  const position = newest && !newest.end ? newest.queuePosition : undefined;
  const elsewhere = position !== undefined && position !== delivery.queuePosition;
  const { toolId, agentId } = delivery.request;
  const openAttemptIsHeldElsewhere = elsewhere && (await parts.queue.isQueued(position));
  return decideDelivery(state, { requestId: delivery.requestId, toolId, agentId }, { openAttemptIsHeldElsewhere });
}

interface ToStart {
  readonly decision: Extract<DeliveryDecision, { kind: 'start' }>;
  /** The facts were read; otherwise there may be some. */
  readonly certain: boolean;
}

async function start(parts: ExecutorParts, delivery: Delivery, { decision, certain }: ToStart): Promise<Step> {
  const context = await resolve(parts, delivery);
  const obstacle = obstacleTo(parts, delivery, context);
  if (obstacle) return certain ? obstacle : { kind: 'look_again' };
  const attempt: Attempt = {
    delivery,
    invocationId: parts.newId(),
    number: decision.attempt,
    numberOfRequest: decision.attemptOfRequest,
    startedAt: parts.clock.monotonic(),
    entry: context?.entry,
  };
  const run = await traceAttempt(attempt, () => runAttempt(parts, { attempt, context, fence: decision.expectedLastSequence }));
  return run.kind === 'fenced' ? { kind: 'look_again' } : run;
}

/** What keeps an attempt from starting at all. */
function obstacleTo(parts: ExecutorParts, delivery: Delivery, context: AttemptContext | undefined): DeliveryEnd | undefined {
  if (context?.run.cancelled)
    return { kind: 'finished', result: notStarted(delivery, 'Cancelled', failureOf('Cancelled', 'run_cancelled')) };
  if (delivery.signal.aborted) return { kind: 'finished', result: notStarted(delivery, 'Cancelled', failureOf('Cancelled', 'cancelled')) };
  if (!isPast(delivery.request.deadline, parts.clock.now())) return undefined;
  return { kind: 'finished', result: notStarted(delivery, 'Failed', failureOf('Rejected', 'deadline_exceeded')) };
}

/** From the current store on every attempt. An attempt whose governance cannot be read goes on and fails closed. */
async function resolve(parts: ExecutorParts, delivery: Delivery): Promise<AttemptContext | undefined> {
  const { scope, request } = delivery;
  try {
    return await parts.store.resolve({ ...scope, ...request.run, toolId: request.toolId, agentId: request.agentId });
  } catch (error) {
    parts.log.error(
      { ...scope, requestId: delivery.requestId, reason: error instanceof Error ? error.name : 'unknown' },
      'the hooks of a workspace cannot be resolved',
    );
    return undefined;
  }
}

/**
 * One publish, never fenced anew: whether the attempt may have run was decided on exactly the facts before the fence.
 * When another fact has come meanwhile, everything is decided again.
 */
async function closeAbandoned(
  parts: ExecutorParts,
  delivery: Delivery,
  { attempt, outcome, final, expectedLastSequence }: Extract<DeliveryDecision, { kind: 'close_abandoned' }>,
): Promise<Step> {
  const fact = abandonedFact(parts, delivery, { started: attempt.started, outcome, final });
  const recorded = await recordFact(parts.journal, { subject: subjectOf(delivery), fact, expectedLastSequence });
  if (recorded.kind === 'recorded') parts.meter.attemptEnded(outcome, 'Provider');
  if (recorded.kind === 'recorded' || recorded.kind === 'fenced') return { kind: 'look_again' };
  parts.log.warn(
    { ...delivery.scope, invocationId: attempt.started.invocationId, detail: recorded.detail },
    'an abandoned attempt could not be closed yet; the request waits',
  );
  return { kind: 'again', delayMs: waitForOtherMs };
}

const readState = async (parts: ExecutorParts, delivery: Delivery): Promise<ToolCallState> =>
  foldToolCall(await parts.journal.readToolCall(toolCallOf(delivery)));
