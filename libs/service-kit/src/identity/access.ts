import { type ExecutionContext, SetMetadata, applyDecorators, createParamDecorator } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Identity, Permission } from './identity.ts';

/** What a route declares about who may call it. */
export type Access = { readonly kind: 'public' } | { readonly kind: 'requires'; readonly permission: Permission };
export const accessKey = 'agentstration:access';

/** The name of the security scheme in the OpenAPI document, and of the extension that tells a route's permission. */
export const bearerScheme = 'bearer';
export const permissionExtension = 'x-required-permission';

const identityKey = Symbol('agentstration.identity');
type WithIdentity = Request & { [identityKey]?: Identity };

/** On a handler or controller: only callers with this permission. A route with neither this nor {@link Public} is refused. */
export const Requires = (permission: Permission): MethodDecorator & ClassDecorator =>
  applyDecorators(
    SetMetadata(accessKey, { kind: 'requires', permission } satisfies Access),
    ApiBearerAuth(bearerScheme),
    ApiExtension(permissionExtension, permission),
  );

/** On a handler or controller: everyone, without a token. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(accessKey, { kind: 'public' } satisfies Access);

/** Attaches what the guard found to its request. */
export function attachIdentity(request: Request, identity: Identity): void {
  (request as WithIdentity)[identityKey] = identity;
}

/** The identity of a request that the guard let in; undefined on a public route. */
export const identityOf = (request: Request): Identity | undefined => (request as WithIdentity)[identityKey];

/** Parameter decorator: the caller's {@link Identity}. A public route has none: its handler fails. */
export const CurrentIdentity: () => ParameterDecorator = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const identity = identityOf(context.switchToHttp().getRequest<Request>());
  if (!identity) throw new Error('This route has no identity: it is public, or the guard did not run');
  return identity;
});
