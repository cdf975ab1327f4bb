import { CurrentIdentity, type Identity, ProblemError, Requires } from '@agentstration/service-kit';
import { ReadModelReader, summariseRecords } from '@agentstration/store/read-model';
import { Controller, Get, Inject, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import { positionHeaders } from '../answers/position-headers.ts';
import { ProjectedPosition } from '../answers/projected-position.ts';
import { type QueryParameters, readWord, refuseUnknown } from '../answers/query-parameters.ts';
import { filterNames, readFilter, refuseBackwards } from '../answers/record-filters.ts';
import { Documented } from '../openapi/documented.ts';
import { operations } from '../openapi/operations.ts';

const lengths = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const maximumBuckets = 1500;

/** `GET /api/tool-governance/summary`: counts by decision, outcome, tool, agent and hook over time buckets. */
@Controller('api/tool-governance')
export class SummariseRecordsController {
  constructor(
    @Inject(ReadModelReader) private readonly reader: ReadModelReader,
    @Inject(ProjectedPosition) private readonly position: ProjectedPosition,
  ) {}

  @Get('summary')
  @Requires('governance.read')
  @Documented(operations.summariseRecords)
  async summarise(@CurrentIdentity() { scope }: Identity, @Query() query: QueryParameters, @Res({ passthrough: true }) response: Response) {
    refuseUnknown(query, ['bucket', 'waitFor', ...filterNames]);
    const bucket = readWord(query, 'bucket', { words: ['minute', 'hour', 'day'], code: 'invalid_parameter' }) ?? 'hour';
    const filter = withSpan(readFilter(query), lengths[bucket]);
    await this.position.waitFor(query);
    const { buckets, ...position } = await summariseRecords(this.reader, { scope, filter, bucketMs: lengths[bucket] });
    response.set(positionHeaders(position));
    return { from: new Date(filter.from).toISOString(), to: new Date(filter.to).toISOString(), bucket, buckets };
  }
}

/** The span that is asked for; the last 24 hours or what of it is given. */
function withSpan<Filter extends { from?: number; to?: number }>(filter: Filter, bucketMs: number) {
  const to = filter.to ?? (filter.from === undefined ? Date.now() : filter.from + lengths.day);
  const from = filter.from ?? to - lengths.day;
  refuseBackwards({ from, to });
  if ((to - from) / bucketMs > maximumBuckets) {
    throw new ProblemError(
      'invalid_parameter',
      `From from to to there may be at most ${maximumBuckets} buckets: take a shorter span or longer buckets`,
    );
  }
  return { ...filter, from, to };
}
