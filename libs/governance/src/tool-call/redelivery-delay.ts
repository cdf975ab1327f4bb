/** Delays before an attempt that failed for want of infrastructure is tried again, in milliseconds. */
const delays = [1_000, 5_000, 30_000, 120_000] as const;

/** Attempts of one Request that may fail for want of infrastructure; the last one ends finally. */
export const maximumInfrastructureAttempts = delays.length + 1;

/** Where nothing could be recorded, it is no attempt and is tried again for ever, with this delay. */
export const largestRedeliveryDelayMs = delays[delays.length - 1] as number;

/** The delay after the `attemptOfRequest`th attempt of a Request failed; undefined when it was the last. */
export const infrastructureRedeliveryDelayMs = (attemptOfRequest: number): number | undefined => delays[attemptOfRequest - 1];
