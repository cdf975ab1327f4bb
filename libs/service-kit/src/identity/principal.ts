import { matches } from '@agentstration/contracts';
import type { JWTPayload } from 'jose';
import type { Configuration } from '../configuration/configuration.ts';
import { ProblemError } from '../problems/problem-error.ts';

/** What a verified token says: who, and which roles in which workspaces. */
export interface Principal {
  readonly principalId: string;
  readonly tenantId: string;
  readonly rolesOfWorkspace: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads the claims of a verified token.
 *
 * @throws ProblemError 401 without a usable `sub`, 403 `workspace_denied` when tenant or workspaces are missing or illegal.
 */
export function toPrincipal(claims: JWTPayload, names: Configuration['Authentication']['Claims']): Principal {
  const principalId = claims.sub;
  if (typeof principalId !== 'string' || !matches('id', principalId)) {
    throw new ProblemError('unauthenticated', 'The token needs a "sub" of 1 to 128 printable ASCII characters without space', {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
  }
  const tenantId = readClaim(claims, names.Tenant);
  if (typeof tenantId !== 'string' || !matches('scopeId', tenantId)) {
    throw new ProblemError('workspace_denied', `The token names no tenant: the claim "${names.Tenant}" must be a tenant id`);
  }
  return { principalId, tenantId, rolesOfWorkspace: readWorkspaces(claims, names) };
}

function readWorkspaces(claims: JWTPayload, names: Configuration['Authentication']['Claims']): ReadonlyMap<string, readonly string[]> {
  const claim = readClaim(claims, names.Workspaces);
  const shared = toNames(readClaim(claims, names.Roles));
  const workspaces = Array.isArray(claim) ? claim.map((workspace: unknown) => [workspace, shared] as const) : entriesOf(claim);
  const legal = workspaces.flatMap(([id, roles]) => (typeof id === 'string' && matches('scopeId', id) ? [[id, roles] as const] : []));
  if (legal.length === 0 || legal.length < workspaces.length) {
    throw new ProblemError(
      'workspace_denied',
      `The token names no workspace: the claim "${names.Workspaces}" must be a list of workspace ids, or a map of them to roles`,
    );
  }
  return new Map(legal);
}

/** The map form: each workspace with its own roles, which replace the roles claim. */
const entriesOf = (claim: unknown): (readonly [string, readonly string[]])[] =>
  typeof claim === 'object' && claim !== null ? Object.entries(claim).map(([id, roles]) => [id, toNames(roles)] as const) : [];

/** Anything but a list of names grants nothing. */
const toNames = (claim: unknown): readonly string[] =>
  Array.isArray(claim) ? claim.filter((name): name is string => typeof name === 'string') : [];

/** A claim by its name, or by a JSON Pointer (RFC 6901) when no claim has that name. */
export function readClaim(claims: JWTPayload, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  if (!name.startsWith('/')) return undefined;
  const segments = name.slice(1).split('/');
  return segments.reduce<unknown>((value, segment) => {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
  }, claims);
}
