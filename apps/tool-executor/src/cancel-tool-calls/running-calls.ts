import type { CancelRequest, Scope, ToolCallKey } from '@agentstration/contracts';
import { RememberedCancels } from './remembered-cancels.ts';

interface RunningCall extends ToolCallKey {
  readonly controller: AbortController;
}

/** A Request of a call as it was delivered. */
export interface DeliveredCall extends ToolCallKey {
  /** When it was asked for: milliseconds since the epoch. */
  readonly askedAt: number;
}

/**
 * The calls that this executor runs, so that a cancellation can reach them. A cancellation also holds for every Request of
 * its call that was asked for before it: one that waits for its next attempt, or for its first, is not started any more.
 */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>();
  readonly #cancels: RememberedCancels;

  /** @param now milliseconds since the epoch */
  constructor(private readonly now: () => number = Date.now) {
    this.#cancels = new RememberedCancels(now);
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Registers a call. Its signal aborts when the call or its Run is cancelled, and is aborted if that came before. */
  enter({ askedAt, ...call }: DeliveredCall): { readonly signal: AbortSignal; leave(): void } {
    const running = { ...call, controller: new AbortController() };
    this.#calls.add(running);
    if (askedAt <= this.#cancels.lastOf(call)) running.controller.abort();
    return { signal: running.controller.signal, leave: () => void this.#calls.delete(running) };
  }

  /** Cancels the calls of a Run, or one of them. Answers how many ran here. */
  cancel(scope: Scope, cancel: CancelRequest): number {
    this.#cancels.remember(scope, cancel);
    const meant = [...this.#calls].filter(
      (call) =>
        call.tenantId === scope.tenantId &&
        call.workspaceId === scope.workspaceId &&
        call.ownerKind === cancel.ownerKind &&
        call.runId === cancel.runId &&
        (cancel.toolCallId === undefined || call.toolCallId === cancel.toolCallId),
    );
    for (const call of meant) call.controller.abort();
    return meant.length;
  }
}
