import { JournalBroken } from './journal-broken.ts';

/** A replicated Journal seems shorter than it was: its new leader may not have caught up yet. */
export class JournalBehind extends Error {
  override readonly name = 'JournalBehind';
}

/** How long that may last, in milliseconds. */
const catchingUpMs = 10_000;

/** Tells what passes from what cannot. Times are monotonic. */
export class Interruptions {
  readonly #onInterruption: ((error: Error) => void) | undefined;
  #behindSince: number | undefined;

  constructor(onInterruption: ((error: Error) => void) | undefined) {
    this.#onInterruption = onInterruption;
  }

  /** @throws JournalBroken when going on could only be wrong */
  report(error: unknown, now: number): void {
    if (error instanceof JournalBroken) throw error;
    if (error instanceof JournalBehind) {
      this.#behindSince ??= now;
      if (now - this.#behindSince > catchingUpMs) throw new JournalBroken('shorter', error.message);
    }
    this.#onInterruption?.(error instanceof Error ? error : new Error('the reading was interrupted'));
  }

  /** The reading goes on. */
  over(): void {
    this.#behindSince = undefined;
  }
}
