import type { CancelRequest, Scope } from '@agentstration/contracts';

interface RunningCall extends Scope, Required<CancelRequest> {
  readonly controller: AbortController;
}

/** The calls that this executor runs, so that a cancellation can reach them. */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>();

  get size(): number {
    return this.#calls.size;
  }

  /** Registers a call. Its signal aborts when the call or its Run is cancelled. */
  enter(call: Omit<RunningCall, 'controller'>): { readonly signal: AbortSignal; leave(): void } {
    const running = { ...call, controller: new AbortController() };
    this.#calls.add(running);
    return { signal: running.controller.signal, leave: () => void this.#calls.delete(running) };
  }

  /** Cancels the calls of a Run, or one of them. Answers how many ran here. */
  cancel(scope: Scope, cancel: CancelRequest): number {
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
