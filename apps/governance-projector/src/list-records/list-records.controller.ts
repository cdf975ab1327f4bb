import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import { ReadModelReader, type WorkspacePosition, listRecords } from '@agentstration/store/read-model';
import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { type CursorPosition, decodeCursor, encodeCursor, invalidCursor } from '../answers/cursor.ts';
import { positionHeaders } from '../answers/position-headers.ts';
import { ProjectedPosition } from '../answers/projected-position.ts';
import { type QueryParameters, readOne, refuseUnknown } from '../answers/query-parameters.ts';
import { recordsBody } from '../answers/records-body.ts';
import { filterNames, readFilter } from '../answers/record-filters.ts';
import { readLimit } from '../answers/run-pages.ts';
import { Documented } from '../openapi/documented.ts';
import { operations } from '../openapi/operations.ts';

/** `GET /api/tool-governance`: the records of all Runs of the Workspace, newest first. */
@Controller('api/tool-governance')
export class ListRecordsController {
  constructor(
    @Inject(ReadModelReader) private readonly reader: ReadModelReader,
    @Inject(ProjectedPosition) private readonly position: ProjectedPosition,
  ) {}

  @Get()
  @Requires('governance.read')
  @Documented(operations.listRecords)
  async list(@CurrentIdentity() identity: Identity, @Query() query: QueryParameters, @Res({ passthrough: true }) response: Response) {
    refuseUnknown(query, ['cursor', 'limit', 'waitFor', ...filterNames]);
    const filter = readFilter(query);
    const bound = [identity.scope.tenantId, identity.scope.workspaceId, filter];
    const cursor = readOne(query, 'cursor', 'invalid_cursor');
    const from = cursor === undefined ? undefined : decodeCursor(cursor, bound);
    const limit = readLimit(query);
    await this.position.waitFor(query);
    const withArguments = identity.permissions.has('governance.arguments.read');
    const before = from && { before: from.before };
    const page = await listRecords(this.reader, { scope: identity.scope, filter, limit, withArguments, ...before });
    if (from && isStale(from, page)) throw invalidCursor();
    response.set(positionHeaders(page));
    const next = page.next === null ? null : encodeCursor({ before: page.next, journal: page.journal }, bound);
    return recordsBody(response, page, { cursor: next });
  }
}

/** A cursor of another Journal, from numbers that were never given, or into what retention has removed. */
const isStale = ({ before, journal }: CursorPosition, page: WorkspacePosition): boolean =>
  journal !== page.journal || before > page.lastSequence || before <= page.removedThrough;
