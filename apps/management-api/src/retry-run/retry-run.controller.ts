import { compileSchema } from '@agentstration/contracts';
import { Body, Controller, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { operations } from '../openapi/other-operations.ts';
import { send } from '../resources/answer.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { renderRun, runLocation } from '../runs/render-run.ts';
import { runKeyOf } from '../runs/run-address.ts';
import { runPortsToken } from '../runs/run-ports.ts';
import { readRunBody } from '../runs/read-run-body.ts';
import { type RetryOrder, type RetryRunPorts, retryRun } from './retry-run.ts';
import { runRetrySchema } from './run-retry-schema.ts';

const check = compileSchema(runRetrySchema);

/** `POST /api/runs/{ownerKind}/{runId}/retry`. */
@Controller('api/runs')
export class RetryRunController {
  constructor(@Inject(runPortsToken) private readonly ports: RetryRunPorts) {}

  @Post(':ownerKind/:runId/retry')
  @HttpCode(202)
  @Documented(operations.retryRun)
  @Requires('runs.execute')
  async retry(
    @CurrentIdentity() { scope, principalId: by }: Identity,
    @Param() address: { ownerKind: string; runId: string },
    @Body() document: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    refuseUnknown(request.query, []);
    const order = readRunBody<RetryOrder>(check, document ?? {});
    const run = await retryRun(this.ports, runKeyOf(scope, address), { order, by });
    send(request, response, { status: 202, body: renderRun(run, []), location: runLocation(run) });
  }
}
