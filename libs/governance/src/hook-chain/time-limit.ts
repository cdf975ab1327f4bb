/** How a piece of work under a time limit ended. */
export type Limited<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'threw'; readonly error: unknown } | { readonly kind: 'timed_out' };

/**
 * Runs work under the hook time limit. The signal aborts when the limit passes; work that ignores it is abandoned, and
 * whatever it does later has no effect on the outcome. Never rejects.
 */
export type TimeLimit = <T>(work: (signal: AbortSignal) => Promise<T> | T) => Promise<Limited<T>>;
