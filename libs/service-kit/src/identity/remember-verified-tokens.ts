import { LRUCache } from 'lru-cache';
import type { TokenVerifier } from './token-verifier.ts';

/** A key that its issuer withdraws is trusted this much longer. */
const memoryMs = 30_000;

/**
 * Verifies each token once per 30 s: signatures cost more than most requests. Only what was accepted is remembered, and
 * never beyond its expiry.
 */
export function rememberVerifiedTokens(verify: TokenVerifier): TokenVerifier {
  const accepted = new LRUCache<string, Awaited<ReturnType<TokenVerifier>>>({ max: 5000, ttl: memoryMs });
  return async (token) => {
    const known = accepted.get(token);
    if (known && (known.exp ?? 0) > Date.now() / 1000) return known;
    const claims = await verify(token);
    accepted.set(token, claims);
    return claims;
  };
}
