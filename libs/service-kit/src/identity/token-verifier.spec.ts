import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { type JWTPayload, SignJWT, generateKeyPair } from 'jose';
import { rememberVerifiedTokens } from './remember-verified-tokens.ts';
import { createTokenVerifier } from './token-verifier.ts';

const noon = Date.UTC(2026, 11, 1, 12) / 1000;
const [issuer, audience] = ['https://issuer.example', 'agentstration'];

/** Whether a token is accepted at noon; its times are seconds from then. */
async function isAccepted(times: JWTPayload): Promise<boolean> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const rules = { issuer, audience, algorithms: ['ES256'], clockToleranceSeconds: 5, now: () => new Date(noon * 1000) };
  const claims = Object.entries({ exp: 60, ...times }).map(([claim, seconds]): [string, number] => [claim, noon + Number(seconds)]);
  const token = await new SignJWT({ iss: issuer, aud: audience, sub: 'someone', ...Object.fromEntries(claims) })
    .setProtectedHeader({ alg: 'ES256' })
    .sign(privateKey);
  try {
    await createTokenVerifier(() => publicKey, rules)(token);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'unauthenticated' });
    return false;
  }
}

describe('a token', () => {
  it.each<[string, JWTPayload, boolean]>([
    ['expired within it', { exp: -4 }, true],
    ['expired beyond it', { exp: -5 }, false],
    ['not yet valid within it', { nbf: 5 }, true],
    ['not yet valid beyond it', { nbf: 6 }, false],
    ['issued in the future within it', { iat: 5 }, true],
    ['issued in the future beyond it', { iat: 6 }, false],
  ])(verifies('AUTH-013', 'is judged by a clock that may differ by the tolerance: %s'), async (_, times, accepted) =>
    expect(await isAccepted(times)).toBe(accepted),
  );

  it('that has expired is refused although it was accepted before', async () => {
    let verified = 0;
    const inAnHour = Date.now() / 1000 + 3600;
    const verify = rememberVerifiedTokens(() => Promise.resolve({ principal: {} as never, expiresAt: verified++ ? 0 : inAnHour }));
    await verify('a');
    await verify('a');
    expect(verified).toBe(1);
    await verify('b');
    await verify('b');
    expect(verified).toBe(3);
  });
});
