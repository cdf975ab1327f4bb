import type { StoredRun } from '@agentstration/store';
import type { ToolCallProgress } from './run-ports.ts';

/**
 * - `Pending`: no fact yet.
 * - `Running`: facts, and calls that have not ended. A Run executed elsewhere stays so: only its owner knows its end.
 * - `Succeeded`: every call succeeded. `Failed`: every call ended, not all of them well.
 * - `Cancelled`: somebody cancelled the Run; calls in flight may still end.
 */
export type RunStatus = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Cancelled';

/** The status of a Run from what is stored and what the Journal says of its calls. Pure. */
export function foldRunStatus(
  run: Pick<StoredRun, 'cancelledAt' | 'toolCalls'>,
  progress: readonly Pick<ToolCallProgress, 'toolCallId' | 'state' | 'final'>[],
): RunStatus {
  if (run.cancelledAt !== null) return 'Cancelled';
  if (progress.length === 0) return 'Pending';
  if (run.toolCalls.length === 0) return 'Running';
  const states = new Map(progress.map((call) => [call.toolCallId, call]));
  const calls = run.toolCalls.map(({ toolCallId }) => states.get(toolCallId));
  if (calls.some((call) => call === undefined || call.state === 'Running' || !call.final)) return 'Running';
  return calls.every((call) => call?.state === 'Succeeded') ? 'Succeeded' : 'Failed';
}
