import { Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { operations } from '../openapi/other-operations.ts';
import { send } from '../resources/answer.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { existingKeyOf } from '../resources/resource-address.ts';
import { toolProviderType } from '../resources/resource-type.ts';
import { type RefreshPorts, refreshToolProvider } from './refresh-tool-provider.ts';

export const refreshPortsToken = Symbol('RefreshPorts');

/** `POST /api/toolproviders/{name}/refresh`. */
@Controller(`api/${toolProviderType.path}`)
export class RefreshToolProviderController {
  constructor(@Inject(refreshPortsToken) private readonly ports: RefreshPorts) {}

  @Post(':name/refresh')
  @HttpCode(200)
  @Documented(operations.refreshToolProvider)
  @Requires('tools.write')
  async refresh(
    @CurrentIdentity() { scope, principalId: by }: Identity,
    @Param('name') name: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    refuseUnknown(request.query, ['resourceNamespace']);
    const key = existingKeyOf(toolProviderType, scope, { name, query: request.query });
    send(request, response, { body: await refreshToolProvider(this.ports, key, by) });
  }
}
