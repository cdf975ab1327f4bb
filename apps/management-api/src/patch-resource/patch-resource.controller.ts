import { Body, Controller, Inject, Param, Patch, Req, Res, type Type } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { ResourceStore } from '@agentstration/store';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { resourceOperation } from '../openapi/resource-operations.ts';
import { send } from '../resources/answer.ts';
import { entityTagOf } from '../resources/entity-tag.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { renderResource } from '../resources/render-resource.ts';
import { existingKeyOf } from '../resources/resource-address.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { resourceStoreToken } from '../resources/store-token.ts';
import { patchResource } from './patch-resource.ts';

/** `PATCH /api/<kind>/{name}`. */
export function patchResourceController(type: ResourceType): Type {
  @Controller(`api/${type.path}`)
  class PatchResourceController {
    constructor(@Inject(resourceStoreToken) private readonly store: ResourceStore) {}

    @Patch(':name')
    @Documented(resourceOperation('patch', type))
    @Requires(type.write)
    async patch(
      @CurrentIdentity() { scope, principalId: by }: Identity,
      @Param('name') name: string,
      @Body() patch: unknown,
      @Req() request: Request,
      @Res() response: Response,
    ): Promise<void> {
      refuseUnknown(request.query, ['resourceNamespace']);
      const key = existingKeyOf(type, scope, { name, query: request.query });
      const patched = await patchResource(this.store, { type, key, headers: request.headers, patch, by });
      send(request, response, { body: renderResource(patched), entityTag: entityTagOf(patched) });
    }
  }
  return PatchResourceController;
}
