import { type JWK, createLocalJWKSet } from 'jose';
import type { Configuration } from '../configuration/configuration.ts';
import { developmentAlgorithm, developmentAudience, developmentIssuer, developmentKey } from './development-key.ts';
import { checkKeyFile, keysFromFile, keysFromUrl } from './issuer-keys.ts';
import { type Principal, toPrincipal } from './principal.ts';
import { rememberVerifiedTokens } from './remember-verified-tokens.ts';
import { createTokenVerifier, type TokenVerifier } from './token-verifier.ts';

/** From a bearer token to who asks. Throws a ProblemError for a token that does not say it well. */
export type Authenticator = (token: string) => Promise<Principal>;

const developmentClaims = { Tenant: 'tenant', Workspaces: 'workspaces', Roles: 'roles' };

/** The way of authentication that the configuration asks for. */
export async function createAuthenticator(configuration: Configuration): Promise<Authenticator> {
  const { Authentication, DataDirectory } = configuration;
  const development = Authentication.Mode === 'Development';
  if (!development && Authentication.JwksFile !== undefined) await checkKeyFile(Authentication.JwksFile);
  const verify = development ? await verifierOfDevelopment(DataDirectory) : verifierOfIssuer(Authentication);
  const names = development ? developmentClaims : Authentication.Claims;
  return rememberVerifiedTokens(async (token) => {
    const claims = await verify(token);
    return { principal: toPrincipal(claims, names), expiresAt: claims.exp ?? 0 };
  });
}

function verifierOfIssuer(authentication: Configuration['Authentication']): TokenVerifier {
  const { Issuer = '', Audience = '', Algorithms, ClockToleranceSeconds, JwksUrl, JwksFile } = authentication;
  const keys = JwksUrl === undefined ? keysFromFile(JwksFile ?? '') : keysFromUrl(JwksUrl);
  return createTokenVerifier(keys, {
    issuer: Issuer,
    audience: Audience,
    algorithms: Algorithms,
    clockToleranceSeconds: ClockToleranceSeconds,
  });
}

async function verifierOfDevelopment(dataDirectory: string): Promise<TokenVerifier> {
  const keys = createLocalJWKSet({ keys: [publicPart(await developmentKey(dataDirectory))] });
  return createTokenVerifier(keys, {
    issuer: developmentIssuer,
    audience: developmentAudience,
    algorithms: [developmentAlgorithm],
    clockToleranceSeconds: 0,
  });
}

/** The verifier never holds the part that signs. */
const publicPart = ({ kty, crv, x, y, alg, kid, use }: JWK): JWK => ({ kty, crv, x, y, alg, kid, use });
