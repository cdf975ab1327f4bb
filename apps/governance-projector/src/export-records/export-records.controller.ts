import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import { ReadModelReader, RecordLines, type RecordsQuery, copyRecords, listRecords } from '@agentstration/store/read-model';
import { Controller, Get, Inject, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { positionHeaders } from '../answers/position-headers.ts';
import { ProjectedPosition } from '../answers/projected-position.ts';
import { type QueryParameters, readWord, refuseUnknown } from '../answers/query-parameters.ts';
import { filterNames, readFilter } from '../answers/record-filters.ts';
import { StreamedAnswer } from '../answers/streamed-answer.ts';
import { type ExportFormat, exportFormats } from './export-formats.ts';
import { Documented } from '../openapi/documented.ts';
import { operations } from '../openapi/operations.ts';

/** Pages bound the memory of an export, and let go of the database while its reader is slow. */
const pageSize = 5000;

/** `GET /api/tool-governance/export`: all matching records, newest first, as NDJSON or CSV. */
@Controller('api/tool-governance')
export class ExportRecordsController {
  constructor(
    @Inject(ReadModelReader) private readonly reader: ReadModelReader,
    @Inject(ProjectedPosition) private readonly position: ProjectedPosition,
  ) {}

  @Get('export')
  @Requires('governance.read')
  @Documented(operations.exportRecords)
  async export(
    @CurrentIdentity() identity: Identity,
    @Query() query: QueryParameters,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    refuseUnknown(query, ['format', 'waitFor', ...filterNames]);
    const format = exportFormats[readFormat(query, request)];
    const filter = readFilter(query);
    await this.position.waitFor(query);
    const withArguments = identity.permissions.has('governance.arguments.read');
    const { scope } = identity;
    const start = await listRecords(this.reader, { scope, filter: {}, limit: 1, withArguments: false });
    // Nothing that came after the position that the answer names.
    const pages = { scope, filter, limit: pageSize, withArguments, before: start.lastSequence + 1 };
    const first = new RecordLines();
    const next = await copyRecords(this.reader, pages, first);
    response.status(200).set({
      ...positionHeaders(start),
      'Content-Type': format.contentType,
      'Content-Disposition': `attachment; filename="tool-governance.${format.extension}"`,
    });
    const answer = new StreamedAnswer(response);
    try {
      if (await this.#writeAll(answer, format, { first, next, pages })) answer.end();
    } catch {
      answer.break();
    }
  }

  /** The next page is read while this one is written, into what held the one before. False when the reader has gone. */
  async #writeAll(answer: StreamedAnswer, format: ExportFormat, { first, next, pages }: ExportPages): Promise<boolean> {
    if (format.head && !(await answer.write(format.head))) return false;
    let [page, other] = [first, new RecordLines()];
    for (let before = next; before !== null;) {
      const reading = copyRecords(this.reader, { ...pages, before }, other);
      reading.catch(() => undefined);
      for (const lines of page.pieces) if (!(await answer.writeThrough(format.lines(lines)))) return false;
      before = await reading;
      [page, other] = [other, page];
    }
    return true;
  }
}

interface ExportPages {
  readonly first: RecordLines;
  /** Where to go on below; null when there was nothing. */
  readonly next: number | null;
  readonly pages: RecordsQuery;
}

function readFormat(query: QueryParameters, request: Request): keyof typeof exportFormats {
  const asked = readWord(query, 'format', { words: ['ndjson', 'csv'], code: 'invalid_parameter' });
  return asked ?? (request.accepts(['application/x-ndjson', 'text/csv']) === 'text/csv' ? 'csv' : 'ndjson');
}
