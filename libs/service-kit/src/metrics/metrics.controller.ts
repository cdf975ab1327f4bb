import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../identity/access.ts';
import { MetricsRegistry } from './metrics-registry.ts';

/** Prometheus text format. */
@Public()
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(MetricsRegistry) private readonly registry: MetricsRegistry) {}

  @Get()
  async show(@Res() response: Response): Promise<void> {
    response.type(this.registry.contentType).send(await this.registry.metrics());
  }
}
