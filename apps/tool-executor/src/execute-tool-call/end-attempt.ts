import type { ToolFailure } from '@agentstration/contracts';
import { type Conclusion, type EnteredAttempt, notifyAfterInvoke } from '@agentstration/governance';
import { type Attempt, type Failure, completedFact, durationOf, failedFact } from './attempt.ts';
import { type TerminalFact, closeAttempt } from './close-attempt.ts';
import type { DeliveryEnd } from './delivery.ts';
import type { ExecutorParts } from './executor-parts.ts';
import { ended, failureOf } from './tool-results.ts';

export type Ending = {
  readonly attempt: Attempt;
  /** The hooks that were asked; undefined when none could be. */
  readonly entered: EnteredAttempt | undefined;
  readonly fence: number;
  /** Whether the provider was called. */
  readonly called: boolean;
} & (
  | { readonly completed: Extract<Conclusion, { kind: 'Completed' }>; readonly failure?: undefined }
  | {
      readonly failure: Failure;
      /** What the requester is told. */
      readonly told: ToolFailure;
      /** Wait before the next attempt, where the failure is not final. */
      readonly againMs: number;
    }
);

/** Tells the hooks, records how the attempt ended, and says what becomes of the Request. */
export async function endAttempt(parts: ExecutorParts, ending: Ending): Promise<DeliveryEnd> {
  const settled = settle(await tellHooks(parts, ending));
  const { attempt, called, fence } = settled;
  const closed = await closeAttempt(parts, { delivery: attempt.delivery, fact: terminalFact(parts, settled), fence, called });
  if (closed !== 'recorded') return { kind: 'released' };
  parts.meter.attemptEnded(settled.failure?.outcome ?? 'Succeeded', settled.failure?.failureKind ?? null);
  if (settled.failure) {
    if (!settled.failure.final) return { kind: 'again', delayMs: settled.againMs };
    return {
      kind: 'finished',
      result: resultOf(parts, settled, { outcome: settled.failure.outcome, result: null, failure: settled.told }),
    };
  }
  return { kind: 'finished', result: resultOf(parts, settled, { outcome: 'Succeeded', result: settled.completed.result, failure: null }) };
}

/** Whoever cancelled wants no further attempt: a failure that would be tried again is final then. */
function settle(ending: Ending): Ending {
  if (!ending.failure || ending.failure.final || !ending.attempt.delivery.signal.aborted) return ending;
  return { ...ending, failure: { ...ending.failure, final: true } };
}

/** A hook that fails afterwards fails an attempt that had succeeded, and never replaces another failure. */
async function tellHooks(parts: ExecutorParts, ending: Ending): Promise<Ending> {
  const { attempt, entered, failure } = ending;
  if (!entered) return ending;
  const outcome = {
    outcome: failure?.outcome ?? ('Succeeded' as const),
    failureKind: failure?.failureKind ?? null,
    code: failure?.errorCode ?? null,
    durationMs: durationOf(parts, attempt),
  };
  const [hookId] = await notifyAfterInvoke(entered, outcome, parts.hookTimeLimit);
  if (hookId === undefined) return ending;
  parts.log.error(
    { ...attempt.delivery.scope, invocationId: attempt.invocationId, hook: hookId },
    'a hook failed when it was told how the attempt ended',
  );
  if (failure) return ending;
  const code = 'tool_execution_hook_failed';
  return {
    ...ending,
    failure: { failureKind: 'Hook', outcome: 'Failed', errorCode: code, errorType: 'HookFailed', final: true },
    told: failureOf('Hook', code, { hookId, message: 'A governance hook failed after the tool had run.' }),
    againMs: 0,
  };
}

function terminalFact(parts: ExecutorParts, ending: Ending): TerminalFact {
  const { attempt } = ending;
  const durationMs = durationOf(parts, attempt);
  if (ending.failure) return failedFact(parts, attempt, { ...ending.failure, durationMs });
  return completedFact(parts, attempt, { durationMs, toolReportedError: ending.completed.toolReportedError });
}

const resultOf = (parts: ExecutorParts, { attempt }: Ending, own: Pick<Parameters<typeof ended>[1], 'outcome' | 'result' | 'failure'>) =>
  ended(attempt.delivery, { ...own, invocationId: attempt.invocationId, attempt: attempt.number, durationMs: durationOf(parts, attempt) });
