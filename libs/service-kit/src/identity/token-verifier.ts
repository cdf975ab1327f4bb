import { type JWTPayload, type JWTVerifyGetKey, errors, jwtVerify } from 'jose';
import { unavailable } from '../problems/infrastructure-problem.ts';
import { ProblemError } from '../problems/problem-error.ts';

/** The claims of a token that is genuine, for us, and valid now. */
export type TokenVerifier = (token: string) => Promise<JWTPayload>;

export interface TokenRules {
  readonly issuer: string;
  readonly audience: string;
  readonly algorithms: readonly string[];
  readonly clockToleranceSeconds: number;
  /** Default: the clock of this machine. */
  readonly now?: () => Date;
}

/** The issuer's keys cannot be had: nobody's fault but the infrastructure's. */
export class KeysUnavailable extends Error {
  constructor(options?: ErrorOptions) {
    super('The keys of the token issuer cannot be read', options);
    this.name = 'KeysUnavailable';
  }
}

/**
 * Verifies as RFC 7519 and RFC 8725 ask: pinned issuer, audience and algorithms, an expiry, a subject.
 *
 * The verifier throws a ProblemError: 401 `unauthenticated`, or 503 when the issuer's keys cannot be had.
 */
export function createTokenVerifier(keys: JWTVerifyGetKey, rules: TokenRules): TokenVerifier {
  const { now = () => new Date() } = rules;
  const options = {
    issuer: rules.issuer,
    audience: rules.audience,
    algorithms: [...rules.algorithms],
    clockTolerance: rules.clockToleranceSeconds,
    requiredClaims: ['exp', 'sub'],
  };
  return async (token) => {
    try {
      const currentDate = now();
      const { payload } = await jwtVerify(token, keys, { ...options, currentDate });
      if (isFromTheFuture(payload, { currentDate, toleranceSeconds: rules.clockToleranceSeconds }))
        throw new errors.JWTClaimValidationFailed('issued in the future', payload, 'iat');
      return payload;
    } catch (error) {
      throw toProblem(error);
    }
  };
}

const isFromTheFuture = (
  { iat }: JWTPayload,
  { currentDate, toleranceSeconds }: { currentDate: Date; toleranceSeconds: number },
): boolean => iat !== undefined && iat > currentDate.getTime() / 1000 + toleranceSeconds;

function toProblem(error: unknown): unknown {
  if (error instanceof KeysUnavailable)
    return unavailable('Tokens cannot be verified at the moment: the keys of their issuer cannot be read');
  if (!(error instanceof errors.JOSEError)) return error;
  return unauthenticated(describe(error), 'invalid_token');
}

/** Which rule the token broke; never what the token says. */
function describe(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `The token's claim "${error.claim}" is not what this service requires`;
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token is signed with an algorithm that this service does not take';
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) {
    return 'The token is signed with no key that its issuer publishes';
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token does not match';
  return 'The token is not a signed JWT';
}

/** 401 with the challenge that RFC 6750, section 3 asks for. */
export const unauthenticated = (detail: string, error?: 'invalid_token'): ProblemError =>
  new ProblemError('unauthenticated', detail, { headers: { 'WWW-Authenticate': error ? `Bearer error="${error}"` : 'Bearer' } });
