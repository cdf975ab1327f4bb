import { Body, Controller, Inject, Post, Req, Res, type Type } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { ResourceStore } from '@agentstration/store';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { resourceOperation } from '../openapi/resource-operations.ts';
import { send } from '../resources/answer.ts';
import { entityTagOf } from '../resources/entity-tag.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { renderResource } from '../resources/render-resource.ts';
import { locationOf, namespaceOf } from '../resources/resource-address.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { resourceStoreToken } from '../resources/store-token.ts';
import { createResource } from './create-resource.ts';

/** `POST /api/<kind>`. */
export function createResourceController(type: ResourceType): Type {
  @Controller(`api/${type.path}`)
  class CreateResourceController {
    constructor(@Inject(resourceStoreToken) private readonly store: ResourceStore) {}

    @Post()
    @Documented(resourceOperation('create', type))
    @Requires(type.write)
    async create(
      @CurrentIdentity() { scope, principalId: by }: Identity,
      @Body() document: unknown,
      @Req() request: Request,
      @Res() response: Response,
    ): Promise<void> {
      refuseUnknown(request.query, ['resourceNamespace']);
      const created = await createResource(this.store, { type, scope, namespace: namespaceOf(request.query), document, by });
      send(request, response, {
        status: 201,
        body: renderResource(created),
        entityTag: entityTagOf(created),
        location: locationOf(type, created),
      });
    }
  }
  return CreateResourceController;
}
