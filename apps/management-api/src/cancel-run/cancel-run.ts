import type { CancelRequest, RunKey } from '@agentstration/contracts';
import type { NewRun, RunStore, StoredRun } from '@agentstration/store';
import { runNotFound } from '../runs/run-address.ts';
import { type FactStamp, runCancelledMessage } from '../runs/run-messages.ts';
import type { RunProgress } from '../runs/run-ports.ts';

export interface CancelRunPorts {
  readonly runs: Pick<RunStore, 'create' | 'cancel'>;
  readonly progress: Pick<RunProgress, 'toolCalls'>;
  readonly stamp: () => FactStamp;
  /** Reaches calls that run now; calls that wait read the stored cancellation. Best effort. */
  readonly signal: (run: RunKey, cancel: CancelRequest) => void;
  readonly nudge: () => void;
}

/** Once answered, no call of the Run starts; calls that run are asked to stop. Cancelling again changes nothing. */
export async function cancelRun(ports: CancelRunPorts, key: RunKey, by: string): Promise<StoredRun> {
  const run = (await cancelStored(ports, key, by)) ?? (await cancelUnregistered(ports, key, by));
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
async function cancelUnregistered(ports: CancelRunPorts, key: RunKey, by: string): Promise<StoredRun | undefined> {
  if ((await ports.progress.toolCalls(key)).length === 0) return undefined;
  const run: NewRun = { ...key, agentId: null, principalId: by, persistToolArguments: null, retryOf: null, toolCalls: [] };
  await ports.runs.create(run, []);
  return cancelStored(ports, key, by);
}
