import { Body, Controller, Inject, Param, Put, Req, Res, type Type } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { ResourceStore } from '@agentstration/store';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { resourceOperation } from '../openapi/resource-operations.ts';
import { send } from '../resources/answer.ts';
import { entityTagOf } from '../resources/entity-tag.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { renderResource } from '../resources/render-resource.ts';
import { keyOf, locationOf } from '../resources/resource-address.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { resourceStoreToken } from '../resources/store-token.ts';
import { putResource } from './put-resource.ts';

/** `PUT /api/<kind>/{name}`. */
export function putResourceController(type: ResourceType): Type {
  @Controller(`api/${type.path}`)
  class PutResourceController {
    constructor(@Inject(resourceStoreToken) private readonly store: ResourceStore) {}

    @Put(':name')
    @Documented(resourceOperation('put', type))
    @Requires(type.write)
    async put(
      @CurrentIdentity() { scope, principalId: by }: Identity,
      @Param('name') name: string,
      @Body() document: unknown,
      @Req() request: Request,
      @Res() response: Response,
    ): Promise<void> {
      refuseUnknown(request.query, ['resourceNamespace']);
      const key = keyOf(type, scope, { name, query: request.query });
      const { created, resource } = await putResource(this.store, { type, key, headers: request.headers, document, by });
      send(request, response, {
        body: renderResource(resource),
        entityTag: entityTagOf(resource),
        ...(created ? { status: 201, location: locationOf(type, resource) } : {}),
      });
    }
  }
  return PutResourceController;
}
