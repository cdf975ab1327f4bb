import { ProviderFailure } from '../failures/provider-failure.ts';

export type CallEnd = 'timed_out' | 'cancelled';

/** One clock for all of a call: its time limit and the caller's signal, whichever comes first. */
export class CallLimit {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #end: CallEnd | undefined;

  constructor(
    timeoutMs: number,
    private readonly callerSignal: AbortSignal,
  ) {
    this.#timer = setTimeout(() => this.#stop('timed_out'), timeoutMs);
    callerSignal.addEventListener('abort', this.#cancel, { once: true });
    if (callerSignal.aborted) this.#cancel();
  }

  readonly #cancel = (): void => this.#stop('cancelled');

  /** Aborted when the call is over from our side. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why it is; undefined while it is not. */
  get end(): CallEnd | undefined {
    return this.#end;
  }

  /** What the promise brings, unless the limit comes first. */
  race<Value>(promise: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const over = (): void => reject(new ProviderFailure('provider_timeout', 'The time of the call is over.'));
      this.signal.addEventListener('abort', over, { once: true });
      promise.then(resolve, reject).finally(() => this.signal.removeEventListener('abort', over));
      if (this.signal.aborted) over();
    });
  }

  /** Lets go of timer and listener. */
  release(): void {
    clearTimeout(this.#timer);
    this.callerSignal.removeEventListener('abort', this.#cancel);
  }

  #stop(end: CallEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#controller.abort(end);
  }
}
