import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Configuration } from '../configuration/configuration.ts';
import { ProblemError } from '../problems/problem-error.ts';

/** Counts one request of a principal. Throws 429 `rate_limited` with `Retry-After` when it is one too many. */
export type RateLimiter = (principal: { readonly tenantId: string; readonly principalId: string }) => Promise<void>;

/** A fixed window for each principal, in the memory of this process. */
export function createRateLimiter({ Requests, WindowSeconds }: Configuration['RateLimit']): RateLimiter {
  if (Requests === 0) return () => Promise.resolve();
  const limiter = new RateLimiterMemory({ points: Requests, duration: WindowSeconds });
  return async ({ tenantId, principalId }) => {
    try {
      await limiter.consume(`${tenantId} ${principalId}`);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw new ProblemError('rate_limited', `More than ${Requests} requests in ${WindowSeconds} s`, {
        headers: { 'Retry-After': String(seconds) },
      });
    }
  };
}
