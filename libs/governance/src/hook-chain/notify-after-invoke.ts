import type { Hook, HookInvocation, HookOutcome } from '../ports/hook.ts';
import type { TimeLimit } from './time-limit.ts';

/** The attempt whose hooks are told how it ended. */
export interface EnteredAttempt {
  readonly entered: readonly Hook[];
  readonly invocation: HookInvocation;
}

/**
 * Tells the hooks that were entered how the attempt ended, in reverse order. All are tried, whatever the others do.
 *
 * @returns the ids of the hooks that failed, in the order of notification
 */
export async function notifyAfterInvoke(
  { entered, invocation }: EnteredAttempt,
  outcome: HookOutcome,
  timeLimit: TimeLimit,
): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const hook of entered.toReversed()) {
    const notified = await timeLimit((signal) => hook.afterInvoke?.(invocation, outcome, signal));
    if (notified.kind !== 'done') failed.push(hook.identity.id);
  }
  return failed;
}
