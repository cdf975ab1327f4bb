import { type CustomDecorator, type ExecutionContext, SetMetadata, createParamDecorator } from '@nestjs/common';
import type { Request } from 'express';
import type { Identity, Permission } from './identity.ts';

/** What a route declares about who may call it. */
export type Access = { readonly kind: 'public' } | { readonly kind: 'requires'; readonly permission: Permission };
export const accessKey = 'agentstration:access';
const identityKey = Symbol('agentstration.identity');

type WithIdentity = Request & { [identityKey]?: Identity };

/** On a handler or controller: only callers with this permission. A route with neither this nor {@link Public} is refused. */
export const Requires = (permission: Permission): CustomDecorator =>
  SetMetadata(accessKey, { kind: 'requires', permission } satisfies Access);

/** On a handler or controller: everyone, without a token. */
export const Public = (): CustomDecorator => SetMetadata(accessKey, { kind: 'public' } satisfies Access);

/** Attaches what the guard found to its request. */
export function attachIdentity(request: Request, identity: Identity): void {
  (request as WithIdentity)[identityKey] = identity;
}

/** The identity of a request that the guard let in. Throws on a public route: there is none. */
export function identityOf(request: Request): Identity {
  const identity = (request as WithIdentity)[identityKey];
  if (!identity) throw new Error('This route has no identity: it is public, or the guard did not run');
  return identity;
}

/** Parameter decorator: the caller's {@link Identity}. */
export const CurrentIdentity: () => ParameterDecorator = createParamDecorator((_: unknown, context: ExecutionContext) =>
  identityOf(context.switchToHttp().getRequest<Request>()),
);
