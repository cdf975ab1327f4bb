import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import { ReadModelReader, listDeadLetters } from '@agentstration/store/read-model';
import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { positionHeaders } from '../answers/position-headers.ts';
import { ProjectedPosition } from '../answers/projected-position.ts';
import { type QueryParameters, readWhole, refuseUnknown } from '../answers/query-parameters.ts';
import { readLimit } from '../answers/run-pages.ts';
import { Documented } from '../openapi/documented.ts';
import { operations } from '../openapi/operations.ts';

/** `GET /api/tool-governance/dead-letters`: Journal messages of the Workspace that are no fact this version understands. */
@Controller('api/tool-governance')
export class ListDeadLettersController {
  constructor(
    @Inject(ReadModelReader) private readonly reader: ReadModelReader,
    @Inject(ProjectedPosition) private readonly position: ProjectedPosition,
  ) {}

  @Get('dead-letters')
  @Requires('governance.read')
  @Documented(operations.listDeadLetters)
  async list(@CurrentIdentity() { scope }: Identity, @Query() query: QueryParameters, @Res({ passthrough: true }) response: Response) {
    refuseUnknown(query, ['afterSequence', 'limit', 'waitFor']);
    const afterSequence = readWhole(query, 'afterSequence', { minimum: 0, code: 'invalid_after_sequence' }) ?? 0;
    const limit = readLimit(query);
    await this.position.waitFor(query);
    const { items, nextSequence, ...position } = await listDeadLetters(this.reader, { scope, afterSequence, limit });
    response.set(positionHeaders(position));
    return { items, nextSequence };
  }
}
