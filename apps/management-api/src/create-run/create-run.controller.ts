import { Body, Controller, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import type { Request, Response } from 'express';
import { Documented } from '../openapi/operation.ts';
import { operations } from '../openapi/other-operations.ts';
import { send } from '../resources/answer.ts';
import { refuseUnknown } from '../resources/query-parameters.ts';
import { renderRun, runLocation } from '../runs/render-run.ts';
import { runPortsToken } from '../runs/run-ports.ts';
import { readRunBody } from '../runs/read-run-body.ts';
import { type CreateRunPorts, type RunOrder, createRun } from './create-run.ts';
import { validateRunOrder } from './validate-run-order.ts';

/** `POST /api/runs`. */
@Controller('api/runs')
export class CreateRunController {
  constructor(@Inject(runPortsToken) private readonly ports: CreateRunPorts) {}

  @Post()
  @HttpCode(202)
  @Documented(operations.createRun)
  @Requires('runs.execute')
  async create(
    @CurrentIdentity() { scope, principalId: by }: Identity,
    @Body() document: unknown,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    refuseUnknown(request.query, []);
    const order = readRunBody<RunOrder>(validateRunOrder, document);
    const run = await createRun(this.ports, { scope, order, by });
    send(request, response, { status: 202, body: renderRun(run, []), location: runLocation(run) });
  }
}
