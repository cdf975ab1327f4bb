import { Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { operations } from '../openapi/other-operations.ts';
import { send } from '../resources/answer.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { renderRun } from '../runs/render-run.ts';
import { runKeyOf } from '../runs/run-address.ts';
import { type RunProgress, runPortsToken } from '../runs/run-ports.ts';
import { type CancelRunPorts, cancelRun } from './cancel-run.ts';

/** `POST /api/runs/{ownerKind}/{runId}/cancel`. */
@Controller('api/runs')
export class CancelRunController {
  constructor(@Inject(runPortsToken) private readonly ports: CancelRunPorts & { readonly progress: RunProgress }) {}

  @Post(':ownerKind/:runId/cancel')
  @HttpCode(202)
  @Documented(operations.cancelRun)
  @Requires('runs.execute')
  async cancel(
    @CurrentIdentity() { scope, principalId: by }: Identity,
    @Param() address: { ownerKind: string; runId: string },
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    refuseUnknown(request.query, []);
    const key = runKeyOf(scope, address);
    const run = await cancelRun(this.ports, key, by);
    send(request, response, { status: 202, body: renderRun(run, await this.ports.progress.toolCalls(key)) });
  }
}
