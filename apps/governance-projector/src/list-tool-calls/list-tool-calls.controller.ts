import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import { ReadModelReader, listToolCalls } from '@agentstration/store/read-model';
import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ProjectedPosition } from '../answers/projected-position.ts';
import type { QueryParameters } from '../answers/query-parameters.ts';
import type { RunAddress } from '../answers/run-address.ts';
import { RunPages, readRunPage } from '../answers/run-pages.ts';
import { Documented } from '../openapi/documented.ts';
import { operations } from '../openapi/operations.ts';

/** `GET /api/tool-governance/{ownerKind}/{runId}/tool-calls`: one entry per Tool Call, in the order of their first facts. */
@Controller('api/tool-governance')
export class ListToolCallsController {
  constructor(
    @Inject(ReadModelReader) private readonly reader: ReadModelReader,
    @Inject(ProjectedPosition) private readonly position: ProjectedPosition,
    @Inject(RunPages) private readonly pages: RunPages,
  ) {}

  @Get(':ownerKind/:runId/tool-calls')
  @Requires('governance.read')
  @Documented(operations.listToolCalls)
  async list(
    @CurrentIdentity() { scope }: Identity,
    @Param() address: RunAddress,
    @Query() query: QueryParameters,
    @Res({ passthrough: true }) response: Response,
  ) {
    const page = readRunPage(scope, address, { query });
    await this.position.waitFor(query);
    const found = await listToolCalls(this.reader, page);
    await this.pages.admit(response, page.run, found);
    return { items: found.items, nextSequence: found.nextSequence };
  }
}
