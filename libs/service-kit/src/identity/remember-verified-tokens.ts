import { LRUCache } from 'lru-cache';
import type { Authenticator } from './authenticator.ts';
import type { Principal } from './principal.ts';

/** A key that its issuer withdraws is trusted this much longer. */
const memoryMs = 30_000;

/** What a token was found to say, and when it ends: seconds since the epoch. */
export interface VerifiedToken {
  readonly principal: Principal;
  readonly expiresAt: number;
}

/**
 * Verifies each token once per 30 s: signatures cost more than most requests. Only what was accepted is remembered, and
 * never beyond its expiry.
 */
export function rememberVerifiedTokens(verify: (token: string) => Promise<VerifiedToken>): Authenticator {
  const accepted = new LRUCache<string, VerifiedToken>({ max: 5000, ttl: memoryMs });
  return async (token) => {
    const known = accepted.get(token);
    if (known && known.expiresAt > Date.now() / 1000) return known.principal;
    const verified = await verify(token);
    accepted.set(token, verified);
    return verified.principal;
  };
}
