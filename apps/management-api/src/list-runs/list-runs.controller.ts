import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { RunStore } from '@agentstration/store';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { operations } from '../openapi/other-operations.ts';
import { send } from '../resources/answer.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { type RunProgress, runProgressToken, runStoreToken } from '../runs/run-ports.ts';
import { listRuns, runListParameters } from './list-runs.ts';

/** `GET /api/runs`. */
@Controller('api/runs')
export class ListRunsController {
  constructor(
    @Inject(runStoreToken) private readonly runs: RunStore,
    @Inject(runProgressToken) private readonly progress: RunProgress,
  ) {}

  @Get()
  @Documented(operations.listRuns)
  @Requires('runs.read')
  async list(@CurrentIdentity() { scope }: Identity, @Req() request: Request, @Res() response: Response): Promise<void> {
    refuseUnknown(request.query, runListParameters);
    send(request, response, { body: await listRuns({ runs: this.runs, progress: this.progress }, scope, request.query) });
  }
}
