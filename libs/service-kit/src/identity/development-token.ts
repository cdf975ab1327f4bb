import { resolve } from 'node:path';
import { SignJWT, importJWK } from 'jose';
import { developmentAlgorithm, developmentAudience, developmentIssuer, developmentKey } from './development-key.ts';
import type { Role } from './roles.ts';

export interface DevelopmentTokenRequest {
  /** `DataDirectory` of the configuration: where the key is kept. */
  readonly dataDirectory: string;
  readonly tenant: string;
  readonly workspaces: readonly string[];
  readonly role: Role;
  /** The `sub`. Default: `developer`. */
  readonly principal?: string;
  /** Life of the token, in seconds. Default: 30 days. */
  readonly expiresInSeconds?: number;
}

const thirtyDays = 30 * 24 * 60 * 60;

/** A token that a service in Development mode with the same data directory accepts. Makes the key when there is none. */
export async function developmentToken(request: DevelopmentTokenRequest): Promise<string> {
  const key = await importJWK(await developmentKey(resolve(request.dataDirectory)), developmentAlgorithm);
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ tenant: request.tenant, workspaces: [...request.workspaces], roles: [request.role] })
    .setProtectedHeader({ alg: developmentAlgorithm, typ: 'JWT', kid: 'development' })
    .setIssuer(developmentIssuer)
    .setAudience(developmentAudience)
    .setSubject(request.principal ?? 'developer')
    .setIssuedAt(now)
    .setExpirationTime(now + (request.expiresInSeconds ?? thirtyDays))
    .sign(key);
}
