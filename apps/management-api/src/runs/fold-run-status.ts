import type { StoredRun } from '@agentstration/store';
import type { ToolCallProgress } from './run-ports.ts';

/**
 * - `Pending`: no fact yet.
 * - `Running`: facts, and calls that have not ended. A Run executed elsewhere stays so: only its owner knows its end.
 * - `Succeeded`: every call succeeded. `Failed`: every call ended, not all of them well.
 * - `Cancelled`: somebody cancelled the Run; calls in flight may still end. Where every call had ended on its own before the
 *   cancellation could reach it, their outcome stands.
 */
export type RunStatus = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled';

type CallProgress = Pick<ToolCallProgress, 'toolCallId' | 'state' | 'final'>;

/** Whether every call of the Run has ended, and none because the Run was cancelled. */
export const hasEnded = (status: RunStatus): boolean => status === 'Succeeded' || status === 'Failed';

/** The status of a Run from what is stored and what the Journal says of its calls. Pure. */
export function foldRunStatus(run: Pick<StoredRun, 'cancelledAt' | 'toolCalls'>, progress: readonly CallProgress[]): RunStatus {
  const status = foldCalls(run, progress);
  if (run.cancelledAt === null || (hasEnded(status) && !progress.some(wasInterrupted))) return status;
  return 'Cancelled';
}

/** A call that was stopped, or whose end nobody saw because it was. */
const wasInterrupted = ({ state }: Pick<ToolCallProgress, 'state'>): boolean => state === 'Cancelled' || state === 'Unknown';

function foldCalls(run: Pick<StoredRun, 'toolCalls'>, progress: readonly CallProgress[]): RunStatus {
  if (progress.length === 0) return 'Pending';
  if (run.toolCalls.length === 0) return 'Running';
  const states = new Map(progress.map((call) => [call.toolCallId, call]));
  const calls = run.toolCalls.map(({ toolCallId }) => states.get(toolCallId));
  if (calls.some((call) => call === undefined || call.state === 'Running' || !call.final)) return 'Running';
  return calls.every((call) => call?.state === 'Succeeded') ? 'Succeeded' : 'Failed';
}
