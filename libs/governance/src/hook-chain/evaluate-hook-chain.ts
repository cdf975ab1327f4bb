import type { ErrorCode, Evaluation } from '@agentstration/contracts';
import type { Hook, HookAnswer, HookInvocation } from '../ports/hook.ts';
import { readHookAnswer } from './read-hook-answer.ts';
import type { Limited, TimeLimit } from './time-limit.ts';

/** What the whole chain says. `Denied` and `Failed` name the hook that ended it. */
export type ChainVerdict =
  | { readonly decision: 'Allowed' }
  | { readonly decision: 'Denied'; readonly hookId: string; readonly code: string; readonly message: string }
  | { readonly decision: 'Failed'; readonly hookId: string; readonly code: string };

export interface ChainResult {
  /** In the order of evaluation; hooks after the one that ended the chain are not listed. */
  readonly evaluations: readonly Evaluation[];
  /** Hooks that were asked, the denying or failing one included. */
  readonly entered: readonly Hook[];
  readonly verdict: ChainVerdict;
}

/** Asks ordered hooks one after the other. The first that does not allow ends the chain. Never rejects. */
export async function evaluateHookChain(hooks: readonly Hook[], invocation: HookInvocation, timeLimit: TimeLimit): Promise<ChainResult> {
  const evaluations: Evaluation[] = [];
  const entered: Hook[] = [];
  for (const hook of hooks) {
    entered.push(hook);
    const answer = judge(await timeLimit<unknown>((signal) => hook.evaluate(invocation, signal)));
    if (answer.decision === 'Allowed') {
      evaluations.push({ hook: hook.identity, decision: 'Allowed' });
      continue;
    }
    evaluations.push({ hook: hook.identity, decision: answer.decision, code: answer.code });
    return { evaluations, entered, verdict: { ...answer, hookId: hook.identity.id } };
  }
  return { evaluations, entered, verdict: { decision: 'Allowed' } };
}

function judge(limited: Limited<unknown>): HookAnswer | { readonly decision: 'Failed'; readonly code: ErrorCode } {
  if (limited.kind === 'timed_out') return { decision: 'Failed', code: 'tool_execution_hook_timed_out' };
  if (limited.kind === 'threw') return { decision: 'Failed', code: 'tool_execution_hook_failed' };
  return readHookAnswer(limited.value) ?? { decision: 'Failed', code: 'tool_execution_hook_invalid_result' };
}
