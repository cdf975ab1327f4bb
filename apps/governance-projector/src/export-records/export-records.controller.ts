import { CurrentIdentity, type Identity, Requires } from '@agentstration/service-kit';
import { ReadModelReader, type RecordsQuery, type RecordsText, listRecords } from '@agentstration/store/read-model';
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

/** Pages bound the memory of an export. */
const pageSize = 1000;

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
    const pages: RecordsQuery = { scope: identity.scope, filter, limit: pageSize, withArguments, separator: format.separator };
    const first = await listRecords(this.reader, pages);
    response.status(200).set({
      ...positionHeaders(first),
      'Content-Type': format.contentType,
      'Content-Disposition': `attachment; filename="tool-governance.${format.extension}"`,
    });
    const answer = new StreamedAnswer(response);
    try {
      if (await this.#writeAll(answer, format, { first, pages })) answer.end();
    } catch {
      answer.break();
    }
  }

  /** The next page is read while this one is written. False when the reader has gone. */
  async #writeAll(answer: StreamedAnswer, format: ExportFormat, { first, pages }: ExportPages): Promise<boolean> {
    if (format.head && !(await answer.write(format.head))) return false;
    for (let page: RecordsText | undefined = first; page;) {
      const next: Promise<RecordsText | undefined> = this.#pageAfter(page, pages);
      next.catch(() => undefined);
      if (page.count > 0 && !(await answer.write(format.page(page.text)))) return false;
      page = await next;
    }
    return true;
  }

  async #pageAfter({ next }: RecordsText, pages: RecordsQuery): Promise<RecordsText | undefined> {
    return next === null ? undefined : listRecords(this.reader, { ...pages, before: next });
  }
}

interface ExportPages {
  readonly first: RecordsText;
  readonly pages: RecordsQuery;
}

function readFormat(query: QueryParameters, request: Request): keyof typeof exportFormats {
  const asked = readWord(query, 'format', { words: ['ndjson', 'csv'], code: 'invalid_parameter' });
  return asked ?? (request.accepts(['application/x-ndjson', 'text/csv']) === 'text/csv' ? 'csv' : 'ndjson');
}
