import { type FactOf, type ToolFactData, isFact } from '@agentstration/contracts';
import { everyAllowed } from '../gate/permit.ts';
import type { RecordedFact } from '../ports/journal.ts';
import { type AttemptEnd, type AttemptState, type ToolCallState, initialToolCallState } from './tool-call-state.ts';

/**
 * Folds one fact into the state. Total: facts of older attempts (a late outcome) move the fence and nothing else, and
 * the first terminal fact of an attempt stands.
 */
export function evolveToolCall(state: ToolCallState, { fact, sequence }: RecordedFact): ToolCallState {
  const next = { ...state, lastSequence: sequence };
  if (isFact(fact, 'ToolExecutionStarted')) return start(next, fact);
  if (isFact(fact, 'ToolExecutionGovernanceEvaluated')) {
    const governance = { allowed: everyAllowed(fact.data), delivery: fact.data.delivery };
    return onNewest(next, fact.data, (attempt) => (attempt.governance ? attempt : { ...attempt, governance }));
  }
  if (isFact(fact, 'ToolExecutionCompleted')) return end(next, { kind: 'Completed', data: fact.data });
  if (isFact(fact, 'ToolExecutionFailed')) return end(next, { kind: 'Failed', data: fact.data });
  return next;
}

/** Folds a whole history. */
export const foldToolCall = (history: readonly RecordedFact[]): ToolCallState => history.reduce(evolveToolCall, initialToolCallState);

function start(state: ToolCallState, fact: FactOf<'ToolExecutionStarted'>): ToolCallState {
  const { requestId, toolId, agentId } = fact.data;
  return {
    ...state,
    attempts: state.attempts + 1,
    requests: new Map(state.requests).set(requestId, { attempts: (state.requests.get(requestId)?.attempts ?? 0) + 1, end: undefined }),
    identity: state.identity ?? { toolId, agentId },
    newest: { started: fact.data, queuePosition: fact.queueposition, governance: undefined, end: undefined },
  };
}

function end(state: ToolCallState, ended: AttemptEnd): ToolCallState {
  const { newest } = state;
  if (newest?.started.invocationId !== ended.data.invocationId || newest.end) return state;
  const { requestId } = newest.started;
  const attempts = state.requests.get(requestId)?.attempts ?? 0;
  return { ...state, newest: { ...newest, end: ended }, requests: new Map(state.requests).set(requestId, { attempts, end: ended }) };
}

function onNewest(state: ToolCallState, data: ToolFactData, change: (attempt: AttemptState) => AttemptState): ToolCallState {
  const { newest } = state;
  return newest?.started.invocationId === data.invocationId ? { ...state, newest: change(newest) } : state;
}
