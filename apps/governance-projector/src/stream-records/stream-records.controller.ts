import { CurrentIdentity, type Identity, ProblemError, Requires } from '@agentstration/service-kit';
import { ReadModelReader, listRecords } from '@agentstration/store/read-model';
import { Controller, Get, Headers, Inject, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { OpenStreams } from '../answers/open-streams.ts';
import { positionHeaders } from '../answers/position-headers.ts';
import { ProjectedPosition } from '../answers/projected-position.ts';
import { type QueryParameters, refuseUnknown } from '../answers/query-parameters.ts';
import { filterNames, readFilter } from '../answers/record-filters.ts';
import { StreamedAnswer } from '../answers/streamed-answer.ts';
import { streamChanges } from './stream-changes.ts';
import { Documented } from '../openapi/documented.ts';
import { operations } from '../openapi/operations.ts';

/** A stream does not outlive its token by more than this: the client comes back with `Last-Event-ID` and a fresh one. */
const longestStreamMs = 15 * 60_000;

/** `GET /api/tool-governance/stream`: server-sent events of new records, and again when a record's outcome changes. */
@Controller('api/tool-governance')
export class StreamRecordsController {
  constructor(
    @Inject(ReadModelReader) private readonly reader: ReadModelReader,
    @Inject(ProjectedPosition) private readonly position: ProjectedPosition,
    @Inject(OpenStreams) private readonly streams: OpenStreams,
  ) {}

  @Get('stream')
  @Requires('governance.read')
  @Documented(operations.streamRecords)
  async stream(
    @CurrentIdentity() identity: Identity,
    @Query() query: QueryParameters,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    refuseUnknown(query, ['waitFor', ...filterNames]);
    const filter = readFilter(query);
    await this.position.waitFor(query);
    const { scope } = identity;
    const start = await listRecords(this.reader, { scope, filter: {}, limit: 1, withArguments: false });
    const after = lastEventId === undefined ? start.lastSequence : readEventId(lastEventId, start.lastSequence);
    response.status(200).set({ ...positionHeaders(start), 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' });
    response.flushHeaders();
    const answer = new StreamedAnswer(response);
    const signal = AbortSignal.any([answer.closed, this.streams.ending, AbortSignal.timeout(longestStreamMs)]);
    const withArguments = identity.permissions.has('governance.arguments.read');
    // A database that cannot be asked ends the stream: the client comes back where it was.
    await streamChanges(answer, {
      reader: this.reader,
      position: this.position,
      query: { scope, filter, after, withArguments },
      signal,
    }).catch(() => undefined);
    answer.end();
  }
}

function readEventId(text: string, newest: number): number {
  const id = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (id <= newest) return id;
  throw new ProblemError('invalid_cursor', 'Last-Event-ID must be the id of an event of this workspace');
}
