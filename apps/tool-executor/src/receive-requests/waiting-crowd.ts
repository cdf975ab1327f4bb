const tickMs = 100;
/** Longer than any wait, in ticks. */
const horizon = 512;
/** How quickly the measured rate forgets, in milliseconds. */
const memoryMs = 2_000;

/** At least so many returns a second are asked for: a place that falls free is found within a hundredth of a second. */
const fewestReturns = 100;
const shortestMs = 20;
/** A cancelled or overdue Request is told so no later than that. */
const longestMs = 30_000;

/**
 * The requests of one Workspace that this executor has sent back, and when they return. The larger the crowd, the later:
 * the broker delivers again before it delivers anew, so that a crowd that returned all the time would silence the others.
 * They return twice as fast as requests are finished, which keeps the share in use and the traffic in proportion to it.
 */
export class WaitingCrowd {
  readonly #returns = new Uint32Array(horizon);
  #size = 0;
  #tick: number;
  #finishedPerMs = 0;
  #measuredAt: number;

  /** @param now monotonic, in milliseconds, here and everywhere */
  constructor(
    now: number,
    private readonly random: () => number = Math.random,
  ) {
    this.#tick = Math.floor(now / tickMs);
    this.#measuredAt = now;
  }

  /** Sends one more Request back: for so many milliseconds. */
  join(now: number): number {
    this.#advance(now);
    this.#size += 1;
    const returnsPerMs = Math.max(fewestReturns / 1000, 2 * this.#rate(now));
    const waitMs = Math.min(Math.max(this.#size / returnsPerMs, shortestMs), longestMs) * (0.75 + this.random() / 2);
    const due = Math.ceil((now + waitMs) / tickMs) % horizon;
    this.#returns[due] = (this.#returns[due] ?? 0) + 1;
    return Math.round(waitMs);
  }

  /** A Request of the Workspace is done. */
  finished(now: number): void {
    this.#finishedPerMs = this.#rate(now) + 1 / memoryMs;
    this.#measuredAt = now;
  }

  #rate(now: number): number {
    return this.#finishedPerMs * Math.exp((this.#measuredAt - now) / memoryMs);
  }

  #advance(now: number): void {
    const last = Math.floor(now / tickMs);
    if (last - this.#tick >= horizon) {
      this.#returns.fill(0);
      this.#size = 0;
      this.#tick = last;
    }
    for (; this.#tick < last; this.#tick++) {
      const at = (this.#tick + 1) % horizon;
      this.#size -= this.#returns[at] ?? 0;
      this.#returns[at] = 0;
    }
  }
}
