import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import { ReadModelReader, listRunEvents } from '@agentstration/store/read-model';
import { Controller, Get, Inject, Param, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ProjectedPosition } from '../answers/projected-position.ts';
import type { QueryParameters } from '../answers/query-parameters.ts';
import type { RunAddress } from '../answers/run-address.ts';
import { RunPages, readRunPage } from '../answers/run-pages.ts';
import { Documented } from '../openapi/documented.ts';
import { operations } from '../openapi/operations.ts';

/** `GET /api/tool-governance/{ownerKind}/{runId}/events`: all facts of a Run in order. */
@Controller('api/tool-governance')
export class ListRunEventsController {
  constructor(
    @Inject(ReadModelReader) private readonly reader: ReadModelReader,
    @Inject(ProjectedPosition) private readonly position: ProjectedPosition,
    @Inject(RunPages) private readonly pages: RunPages,
  ) {}

  @Get(':ownerKind/:runId/events')
  @Requires('governance.read')
  @Documented(operations.listRunEvents)
  async list(
    @CurrentIdentity() identity: Identity,
    @Param() address: RunAddress,
    @Query() query: QueryParameters,
    @Res({ passthrough: true }) response: Response,
  ) {
    const page = readRunPage(identity.scope, address, { query });
    await this.position.waitFor(query);
    const withArguments = identity.permissions.has('governance.arguments.read');
    const found = await listRunEvents(this.reader, { ...page, withArguments });
    await this.pages.admit(response, page.run, found);
    return { items: found.items, nextSequence: found.nextSequence };
  }
}
