import { Controller, Get, Inject, Req, Res, type Type } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { ResourceStore } from '@agentstration/store';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { resourceOperation } from '../openapi/resource-operations.ts';
import { send } from '../resources/answer.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { resourceStoreToken } from '../resources/store-token.ts';
import { listParameters, listResources } from './list-resources.ts';

/** `GET /api/<kind>`. */
export function listResourcesController(type: ResourceType): Type {
  @Controller(`api/${type.path}`)
  class ListResourcesController {
    constructor(@Inject(resourceStoreToken) private readonly store: ResourceStore) {}

    @Get()
    @Documented(resourceOperation('list', type))
    @Requires(type.read)
    async list(@CurrentIdentity() { scope }: Identity, @Req() request: Request, @Res() response: Response): Promise<void> {
      refuseUnknown(request.query, listParameters);
      send(request, response, { body: await listResources(this.store, type, { scope, parameters: request.query }) });
    }
  }
  return ListResourcesController;
}
