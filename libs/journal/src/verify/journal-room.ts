/** How full the Journal is, in bytes, and when that was seen: monotonic, in milliseconds. */
export interface Fill {
  readonly bytes: number;
  /** -1: no limit. */
  readonly maximumBytes: number;
  readonly now: number;
}

const mebibyte = 1024 * 1024;
/** Looks closer together than this say little about how fast the Journal grows. */
const shortestSpanMs = 1000;
/** Two looks ahead. */
const foresightMs = 10_000;

/** A hundredth of the Journal, at least 64 MiB, and never more than a quarter of it. */
export const defaultReserve = (maximumBytes: number): number => Math.min(Math.max(64 * mebibyte, maximumBytes / 100), maximumBytes / 4);

/**
 * Whether the facts of a new attempt will still find room. Attempts under way must be able to end: the Journal counts as
 * full while a reserve is left, and earlier when it grows so fast that the next looks might come too late.
 */
export class JournalRoom {
  readonly #reserveBytes: number | undefined;
  #from: Fill | undefined;
  #bytesPerMs = 0;

  /** @param reserveBytes default: {@link defaultReserve} */
  constructor(reserveBytes?: number) {
    this.#reserveBytes = reserveBytes;
  }

  look(fill: Fill): boolean {
    this.#measure(fill);
    if (fill.maximumBytes <= 0) return true;
    const reserve = this.#reserveBytes ?? defaultReserve(fill.maximumBytes);
    return fill.bytes + this.#bytesPerMs * foresightMs < fill.maximumBytes - reserve;
  }

  #measure(fill: Fill): void {
    const from = (this.#from ??= fill);
    const span = fill.now - from.now;
    if (span < shortestSpanMs) return;
    this.#bytesPerMs = Math.max(0, fill.bytes - from.bytes) / span;
    this.#from = fill;
  }
}
