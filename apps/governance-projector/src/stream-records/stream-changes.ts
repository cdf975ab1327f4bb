import { setTimeout as pause } from 'node:timers/promises';
import { type ChangesQuery, type ReadModelReader, type RecordChange, listChanges } from '@agentstration/store/read-model';
import type { ProjectedPosition } from '../answers/projected-position.ts';
import type { StreamedAnswer } from '../answers/streamed-answer.ts';

export interface ChangeStream {
  readonly reader: ReadModelReader;
  readonly position: ProjectedPosition;
  readonly query: Omit<ChangesQuery, 'limit'>;
  /** Ends the stream: the reader left, the service shuts down, or its time is over. */
  readonly signal: AbortSignal;
}

const pageSize = 200;
const lookEveryMs = 100;
const heartbeatEveryMs = 15_000;

/** `id` is the number of the message that made the change: `Last-Event-ID` goes on after it. */
export const toServerSentEvent = ({ change, record }: RecordChange): string => `id: ${change}\nevent: record\ndata: ${record}\n\n`;

/** Sends changes as they are projected, until the signal. Looks for them only when the read model has moved on. */
export async function streamChanges(answer: StreamedAnswer, { reader, position, query, signal }: ChangeStream): Promise<void> {
  let { after } = query;
  let heartbeatAt = performance.now() + heartbeatEveryMs;
  while (!signal.aborted) {
    const changes = await listChanges(reader, { ...query, after, limit: pageSize });
    const seen = changes.projectedSequence;
    if (changes.removedThrough > after) await answer.write(`event: removed\ndata: {"through":${changes.removedThrough}}\n\n`);
    for (const change of changes.items) if (!(await answer.write(toServerSentEvent(change)))) return;
    after = Math.max(changes.through, changes.removedThrough);
    while (changes.items.length < pageSize && !signal.aborted && (await position.read()) <= seen) {
      if (performance.now() >= heartbeatAt) await answer.write(': nothing new\n\n');
      if (performance.now() >= heartbeatAt) heartbeatAt = performance.now() + heartbeatEveryMs;
      await pause(lookEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
