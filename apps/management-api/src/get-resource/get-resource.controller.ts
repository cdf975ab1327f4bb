import { Controller, Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { ResourceStore } from '@agentstration/store';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { resourceOperation } from '../openapi/resource-operations.ts';
import { send } from '../resources/answer.ts';
import { entityTagOf } from '../resources/entity-tag.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { renderResource } from '../resources/render-resource.ts';
import { existingKeyOf, resourceNotFound } from '../resources/resource-address.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { resourceStoreToken } from '../resources/store-token.ts';

/** `GET /api/<kind>/{name}`. */
export function getResourceController(type: ResourceType): Type {
  @Controller(`api/${type.path}`)
  class GetResourceController {
    constructor(@Inject(resourceStoreToken) private readonly store: ResourceStore) {}

    @Get(':name')
    @Documented(resourceOperation('get', type))
    @Requires(type.read)
    async get(
      @CurrentIdentity() identity: Identity,
      @Param('name') name: string,
      @Req() request: Request,
      @Res() response: Response,
    ): Promise<void> {
      refuseUnknown(request.query, ['resourceNamespace']);
      const found = await this.store.get(existingKeyOf(type, identity.scope, { name, query: request.query }));
      if (!found) throw resourceNotFound();
      send(request, response, { body: renderResource(found), entityTag: entityTagOf(found) });
    }
  }
  return GetResourceController;
}
