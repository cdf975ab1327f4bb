import { Controller, Delete, HttpCode, Inject, Param, Req, type Type } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { ResourceStore } from '@agentstration/store';
import type { Request } from 'express';
import { Documented } from '../openapi/operation.ts';
import { resourceOperation } from '../openapi/resource-operations.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { existingKeyOf } from '../resources/resource-address.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { resourceStoreToken } from '../resources/store-token.ts';
import { deleteResource } from './delete-resource.ts';

/** `DELETE /api/<kind>/{name}`. */
export function deleteResourceController(type: ResourceType): Type {
  @Controller(`api/${type.path}`)
  class DeleteResourceController {
    constructor(@Inject(resourceStoreToken) private readonly store: ResourceStore) {}

    @Delete(':name')
    @HttpCode(204)
    @Documented(resourceOperation('delete', type))
    @Requires(type.write)
    async delete(
      @CurrentIdentity() { scope, principalId: by }: Identity,
      @Param('name') name: string,
      @Req() request: Request,
    ): Promise<void> {
      refuseUnknown(request.query, ['resourceNamespace']);
      const key = existingKeyOf(type, scope, { name, query: request.query });
      await deleteResource(this.store, { key, headers: request.headers, by });
    }
  }
  return DeleteResourceController;
}
