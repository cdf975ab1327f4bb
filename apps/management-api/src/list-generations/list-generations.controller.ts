import { Controller, Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { ResourceStore } from '@agentstration/store';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { resourceOperation } from '../openapi/resource-operations.ts';
import { send } from '../resources/answer.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { existingKeyOf } from '../resources/resource-address.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { resourceStoreToken } from '../resources/store-token.ts';
import { generationParameters, listGenerations } from './list-generations.ts';

/** `GET /api/<kind>/{name}/generations`. */
export function listGenerationsController(type: ResourceType): Type {
  @Controller(`api/${type.path}`)
  class ListGenerationsController {
    constructor(@Inject(resourceStoreToken) private readonly store: ResourceStore) {}

    @Get(':name/generations')
    @Documented(resourceOperation('listGenerations', type))
    @Requires(type.read)
    async list(
      @CurrentIdentity() { scope }: Identity,
      @Param('name') name: string,
      @Req() request: Request,
      @Res() response: Response,
    ): Promise<void> {
      refuseUnknown(request.query, generationParameters);
      const key = existingKeyOf(type, scope, { name, query: request.query });
      send(request, response, { body: await listGenerations(this.store, key, request.query) });
    }
  }
  return ListGenerationsController;
}
