import type { Type } from '@nestjs/common';
import { ExportRecordsController } from '../export-records/export-records.controller.ts';
import { ListDeadLettersController } from '../list-dead-letters/list-dead-letters.controller.ts';
import { ListRecordsController } from '../list-records/list-records.controller.ts';
import { ListRunEventsController } from '../list-run-events/list-run-events.controller.ts';
import { ListRunRecordsController } from '../list-run-records/list-run-records.controller.ts';
import { ListToolCallsController } from '../list-tool-calls/list-tool-calls.controller.ts';
import { StreamRecordsController } from '../stream-records/stream-records.controller.ts';
import { SummariseRecordsController } from '../summarise-records/summarise-records.controller.ts';

/** Every route of the read API. */
export const controllers: Type[] = [
  ...[ListRecordsController, StreamRecordsController, ExportRecordsController, SummariseRecordsController, ListDeadLettersController],
  ...[ListRunRecordsController, ListToolCallsController, ListRunEventsController],
];
