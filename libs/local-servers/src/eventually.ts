import { setTimeout as pause } from 'node:timers/promises';

interface EventuallyOptions {
  /** Milliseconds until the last failure is thrown. */
  readonly within?: number;
  /** Milliseconds between two looks. */
  readonly every?: number;
}

/**
 * Repeats `check` until it neither throws nor rejects, and answers what it answered. What `check` throws last is thrown
 * when the time is over, so that a failing test shows the assertion and not a time limit.
 */
export async function eventually<T>(check: () => T | Promise<T>, { within = 10_000, every = 20 }: EventuallyOptions = {}): Promise<T> {
  const deadline = performance.now() + within;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() + every > deadline) throw error;
    }
    await pause(every);
  }
}
