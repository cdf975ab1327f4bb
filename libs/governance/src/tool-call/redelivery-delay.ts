/**
 * The wait before an attempt that failed for want of infrastructure is made again, in milliseconds; undefined when the
 * attempt was the last one of its Request: one attempt more than there are waits.
 *
 * @param attemptOfRequest 1 for the first attempt of the Request
 */
export const redeliveryDelayMs = (delaysMs: readonly number[], attemptOfRequest: number): number | undefined =>
  delaysMs[attemptOfRequest - 1];

/** Where nothing could be recorded, it was no attempt and is tried again for ever, with the largest wait. */
export const largestRedeliveryDelayMs = (delaysMs: readonly number[]): number => Math.max(...delaysMs);
