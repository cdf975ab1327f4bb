import type { Outcome } from '@agentstration/contracts';
import type { AttemptEnd, AttemptState, ToolCallState } from './tool-call-state.ts';

/** The Request that was just delivered. */
export interface DeliveredRequest {
  readonly requestId: string;
  readonly toolId: string;
  readonly agentId: string;
}

/** What the queue says about the message behind an open attempt. */
export interface QueueKnowledge {
  /** The open attempt was started for another message (of this or another Request), and that message is still queued. */
  readonly openAttemptIsHeldElsewhere: boolean;
}

/** What to do with a delivered Request, given the facts of its Tool Call. */
export type DeliveryDecision =
  /** Begin this attempt. `attemptOfRequest` counts the attempts of this Request, this one included. */
  | { readonly kind: 'start'; readonly attempt: number; readonly attemptOfRequest: number; readonly expectedLastSequence: number }
  /** Execute nothing; tell the recorded outcome again. */
  | { readonly kind: 'replay'; readonly end: AttemptEnd }
  /** An executor died here: close its attempt, then decide again. */
  | {
      readonly kind: 'close_abandoned';
      readonly attempt: AttemptState;
      readonly outcome: Extract<Outcome, 'Unknown' | 'Failed'>;
      readonly final: boolean;
      readonly expectedLastSequence: number;
    }
  /** Another message of this Tool Call is under way. */
  | { readonly kind: 'wait' }
  /** The id belongs to a call of another tool or agent. */
  | { readonly kind: 'reject'; readonly code: 'tool_call_mismatch' };

/** Decides on the delivery of a Request. Pure and total: the same facts always lead to the same decision. */
export function decideDelivery(state: ToolCallState, request: DeliveredRequest, queue: QueueKnowledge): DeliveryDecision {
  const { identity, newest } = state;
  if (identity && (identity.toolId !== request.toolId || identity.agentId !== request.agentId))
    return { kind: 'reject', code: 'tool_call_mismatch' };
  const own = state.requests.get(request.requestId)?.end;
  // Also when another Request has been attempted since: a redelivery is never executed again.
  if (own && isFinal(own)) return { kind: 'replay', end: own };
  if (!newest || newest.end) return start(state, request);
  if (queue.openAttemptIsHeldElsewhere) return { kind: 'wait' };
  return closeAbandoned(state, newest);
}

const start = (state: ToolCallState, request: DeliveredRequest): DeliveryDecision => ({
  kind: 'start',
  attempt: state.attempts + 1,
  attemptOfRequest: (state.requests.get(request.requestId)?.attempts ?? 0) + 1,
  expectedLastSequence: state.lastSequence,
});

const isFinal = (end: AttemptEnd): boolean => end.kind === 'Completed' || end.data.final;

/** An allowed call may have reached the provider; with `AtMostOnce` nobody may find out by calling again. */
function closeAbandoned(state: ToolCallState, attempt: AttemptState): DeliveryDecision {
  const mayHaveRun = attempt.governance?.allowed === true;
  return {
    kind: 'close_abandoned',
    attempt,
    outcome: mayHaveRun ? 'Unknown' : 'Failed',
    final: mayHaveRun && attempt.governance?.delivery === 'AtMostOnce',
    expectedLastSequence: state.lastSequence,
  };
}
