import type { ProviderFailure } from '../failures/provider-failure.ts';

const firstDelayMs = 250;
const longestDelayMs = 30_000;

/**
 * Leaves a server alone after it failed twice in a row, twice as long each time, up to half a minute. When the time is
 * over one connect is let through (connects are single-flight), and its success forgets everything.
 */
export class Backoff {
  #failures = 0;
  #until = -Infinity;
  #last: ProviderFailure | undefined;

  /** The failure that keeps the server from being tried now; undefined when it may be. */
  blocking(now: number): ProviderFailure | undefined {
    return now < this.#until ? this.#last : undefined;
  }

  failed(failure: ProviderFailure, now: number): void {
    this.#failures += 1;
    this.#last = failure;
    if (this.#failures > 1) this.#until = now + Math.min(longestDelayMs, firstDelayMs * 2 ** (this.#failures - 2));
  }

  succeeded(): void {
    this.#failures = 0;
    this.#until = -Infinity;
  }

  get clear(): boolean {
    return this.#failures === 0;
  }
}
