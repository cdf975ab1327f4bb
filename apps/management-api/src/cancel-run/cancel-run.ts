import type { CancelRequest, RunKey } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';
import type { NewRun, RunStore, StoredRun } from '@agentstration/store';
import { foldRunStatus, hasEnded } from '../runs/fold-run-status.ts';
import { runNotFound } from '../runs/run-address.ts';
import { type FactStamp, runCancelledMessage } from '../runs/run-messages.ts';
import type { RunProgress, ToolCallProgress } from '../runs/run-ports.ts';

export interface CancelRunPorts {
  readonly runs: Pick<RunStore, 'get' | 'create' | 'cancel'>;
  readonly progress: Pick<RunProgress, 'toolCalls'>;
  readonly stamp: () => FactStamp;
  /** Reaches calls that run now; calls that wait read the stored cancellation. Best effort. */
  readonly signal: (run: RunKey, cancel: CancelRequest) => void;
  readonly nudge: () => void;
}

/**
 * Once answered, no call of the Run starts; calls that run are asked to stop. Cancelling again changes nothing.
 *
 * @throws ProblemError `conflict` when every call of the Run has ended: its outcome stands.
 */
export async function cancelRun(ports: CancelRunPorts, key: RunKey, by: string): Promise<StoredRun> {
  const calls = await ports.progress.toolCalls(key);
  const known = await ports.runs.get(key);
  if (known?.cancelledAt === null && hasEnded(foldRunStatus(known, calls)))
    throw new ProblemError('conflict', 'The run has ended: nothing of it is left to cancel');
  const run = await (known ? cancelStored(ports, key, by) : cancelUnregistered(ports, key, { calls, by }));
  if (!run) throw runNotFound();
  ports.nudge();
  ports.signal(key, { ownerKind: key.ownerKind, runId: key.runId });
  return run;
}

async function cancelStored(ports: CancelRunPorts, key: RunKey, by: string): Promise<StoredRun | undefined> {
  const outcome = await ports.runs.cancel(key, by, [runCancelledMessage(key, by, ports.stamp())]);
  return outcome.kind === 'not_found' ? undefined : outcome.run;
}

/** A Run that nobody registered but that has facts: it is registered to be cancelled. */
async function cancelUnregistered(
  ports: CancelRunPorts,
  key: RunKey,
  { calls, by }: { calls: readonly ToolCallProgress[]; by: string },
): Promise<StoredRun | undefined> {
  if (calls.length === 0) return undefined;
  const run: NewRun = { ...key, agentId: agentOf(calls), principalId: by, persistToolArguments: null, retryOf: null, toolCalls: [] };
  await ports.runs.create(run, []);
  return cancelStored(ports, key, by);
}

/** The agent of the calls, where they are of one. */
function agentOf(calls: readonly ToolCallProgress[]): string | null {
  const agents = new Set(calls.map(({ agentId }) => agentId));
  return agents.size === 1 ? (calls[0]?.agentId ?? null) : null;
}
