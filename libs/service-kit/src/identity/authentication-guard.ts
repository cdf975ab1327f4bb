import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { ProblemError } from '../problems/problem-error.ts';
import { type Access, accessKey, attachIdentity } from './access.ts';
import type { Authenticator } from './authenticator.ts';
import type { Permission } from './identity.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { selectWorkspace, workspaceHeader } from './select-workspace.ts';
import { unauthenticated } from './token-verifier.ts';

/** Stands before every route. Whatever does not say that it is public needs a token; whatever says nothing is refused. */
export class AuthenticationGuard implements CanActivate {
  private readonly reflector = new Reflector();

  constructor(
    private readonly authenticate: Authenticator,
    private readonly limit: RateLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    // Messages from the broker are not for this guard: broker permissions decide who may publish where.
    if (context.getType() !== 'http') return true;
    const access = this.reflector.getAllAndOverride<Access | undefined>(accessKey, [context.getHandler(), context.getClass()]);
    if (access?.kind === 'public') return true;
    if (access?.kind === 'requires') return this.admit(context.switchToHttp().getRequest<Request>(), access.permission);
    throw new Error(`${context.getClass().name}.${context.getHandler().name} declares neither @Requires(…) nor @Public()`);
  }

  private async admit(request: Request, permission: Permission): Promise<true> {
    const principal = await this.authenticate(bearerToken(request));
    await this.limit(principal);
    const identity = selectWorkspace(principal, request.get(workspaceHeader));
    if (!identity.permissions.has(permission)) throw new ProblemError('permission_denied', `This needs the permission ${permission}`);
    attachIdentity(request, identity);
    return true;
  }
}

/** RFC 6750, section 2.1; never from the query or a form. */
function bearerToken(request: Request): string {
  const [, token] = /^Bearer +([\w~+/.-]+=*) *$/i.exec(request.get('authorization') ?? '') ?? [];
  if (token === undefined) throw unauthenticated('Send a bearer token in the Authorization header');
  return token;
}
