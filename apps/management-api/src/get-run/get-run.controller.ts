import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { RunStore } from '@agentstration/store';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { operations } from '../openapi/other-operations.ts';
import { send } from '../resources/answer.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { renderRun } from '../runs/render-run.ts';
import { runKeyOf, runNotFound } from '../runs/run-address.ts';
import { type RunProgress, runProgressToken, runStoreToken } from '../runs/run-ports.ts';

/** `GET /api/runs/{ownerKind}/{runId}`. */
@Controller('api/runs')
export class GetRunController {
  constructor(
    @Inject(runStoreToken) private readonly runs: RunStore,
    @Inject(runProgressToken) private readonly progress: RunProgress,
  ) {}

  @Get(':ownerKind/:runId')
  @Documented(operations.getRun)
  @Requires('runs.read')
  async get(
    @CurrentIdentity() { scope }: Identity,
    @Param() address: { ownerKind: string; runId: string },
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    refuseUnknown(request.query, []);
    const key = runKeyOf(scope, address);
    const run = await this.runs.get(key);
    if (!run) throw runNotFound();
    send(request, response, { body: renderRun(run, await this.progress.toolCalls(key)) });
  }
}
