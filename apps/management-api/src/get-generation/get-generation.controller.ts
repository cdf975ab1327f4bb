import { Controller, Get, Inject, Param, Req, Res, type Type } from '@nestjs/common';
import { CurrentIdentity, type Identity, ProblemError, Requires } from '@agentstration/service-kit';
import type { ResourceStore } from '@agentstration/store';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { resourceOperation } from '../openapi/resource-operations.ts';
import { send } from '../resources/answer.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { existingKeyOf, resourceNotFound } from '../resources/resource-address.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { resourceStoreToken } from '../resources/store-token.ts';

/** `GET /api/<kind>/{name}/generations/{generation}`. */
export function getGenerationController(type: ResourceType): Type {
  @Controller(`api/${type.path}`)
  class GetGenerationController {
    constructor(@Inject(resourceStoreToken) private readonly store: ResourceStore) {}

    @Get(':name/generations/:generation')
    @Documented(resourceOperation('getGeneration', type))
    @Requires(type.read)
    async get(
      @CurrentIdentity() { scope }: Identity,
      @Param() { name, generation }: { name: string; generation: string },
      @Req() request: Request,
      @Res() response: Response,
    ): Promise<void> {
      refuseUnknown(request.query, ['resourceNamespace']);
      const key = existingKeyOf(type, scope, { name, query: request.query });
      const found = await this.store.getGeneration(key, readGeneration(generation));
      if (!found) throw resourceNotFound();
      send(request, response, { body: found });
    }
  }
  return GetGenerationController;
}

function readGeneration(text: string): number {
  const generation = /^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0;
  if (generation < 1) throw new ProblemError('invalid_resource_generation', 'A generation is an integer from 1');
  return generation;
}
