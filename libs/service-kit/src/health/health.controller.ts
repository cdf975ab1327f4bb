import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import type { ServiceAdapter } from '../http/service-adapter.ts';
import { Public } from '../identity/access.ts';
import { Readiness, type ReadinessReport } from './readiness.ts';

/** What an orchestrator asks: is the process alive, and should it get work. */
@Public()
@ApiExcludeController()
@Controller()
export class HealthController {
  constructor(
    @Inject(Readiness) private readonly readiness: Readiness,
    @Inject(HttpAdapterHost) private readonly host: HttpAdapterHost<ServiceAdapter>,
  ) {}

  @Get('livez')
  @Header('Cache-Control', 'no-store')
  live(): { status: string } {
    return { status: 'alive' };
  }

  @Get('readyz')
  @Header('Cache-Control', 'no-store')
  async ready(@Res({ passthrough: true }) response: Response): Promise<{ ready: boolean; checks: Record<string, ReadinessReport> }> {
    const report = await this.readiness.report();
    const closing: Record<string, ReadinessReport> = this.host.httpAdapter.isClosing
      ? { service: { ready: false, reason: 'shutting down' } }
      : {};
    const ready = report.ready && !this.host.httpAdapter.isClosing;
    response.status(ready ? 200 : 503);
    return { ready, checks: { ...report.checks, ...closing } };
  }
}
