import type { OwnerKind } from '@agentstration/contracts';
import { toOwnerKindToken } from '@agentstration/contracts';
import type { StoredRun } from '@agentstration/store';
import { type RunStatus, foldRunStatus } from './fold-run-status.ts';
import type { ToolCallProgress } from './run-ports.ts';

/** A Run as the API answers it. No arguments: they live in the request alone. */
export interface RunView {
  readonly ownerKind: OwnerKind;
  readonly runId: string;
  readonly agentId: string | null;
  readonly principalId: string;
  readonly status: RunStatus;
  readonly execution: { readonly persistToolArguments: boolean | null };
  readonly retryOf: string | null;
  readonly createdAt: string;
  readonly cancelledAt: string | null;
  readonly cancelledBy: string | null;
  readonly toolCalls: readonly {
    readonly toolCallId: string;
    readonly toolId: string;
    readonly requestId: string;
    /** `Pending` until the call has a fact. */
    readonly state: ToolCallProgress['state'] | 'Pending';
    readonly attempts: number;
  }[];
}

export function renderRun(run: StoredRun, progress: readonly ToolCallProgress[]): RunView {
  const states = new Map(progress.map((call) => [call.toolCallId, call]));
  const { ownerKind, runId, agentId, principalId, retryOf, createdAt, cancelledAt, cancelledBy } = run;
  return {
    ...{ ownerKind, runId, agentId, principalId, status: foldRunStatus(run, progress) },
    execution: { persistToolArguments: run.persistToolArguments },
    ...{ retryOf, createdAt, cancelledAt, cancelledBy },
    toolCalls: run.toolCalls.map(({ toolCallId, toolId, requestId }) => {
      const call = states.get(toolCallId);
      return { toolCallId, toolId, requestId, state: call?.state ?? 'Pending', attempts: call?.attempts ?? 0 };
    }),
  };
}

/** Where a Run is read. */
export const runLocation = (run: Pick<StoredRun, 'ownerKind' | 'runId'>): string =>
  `/api/runs/${toOwnerKindToken(run.ownerKind)}/${encodeURIComponent(run.runId)}`;
