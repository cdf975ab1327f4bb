import { setTimeout as pause } from 'node:timers/promises';
import { ProblemError } from '@agentstration/service-kit';
import type { ReadModelReader } from '@agentstration/store/read-model';
import { positionHeaders } from './position-headers.ts';
import { type QueryParameters, readWhole } from './query-parameters.ts';

/** The longest that a client may wait for its own write. */
export const longestWaitMs = 5_000;
const lookEveryMs = 40;

/** How far the read model has come. Those that wait share one look at a time. */
export class ProjectedPosition {
  #looking: Promise<number> | undefined;

  constructor(private readonly reader: ReadModelReader) {}

  read(): Promise<number> {
    this.#looking ??= this.reader.position().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /**
   * `?waitFor=<Journal sequence>`: waits until the read model reflects it, so that a client reads its own writes.
   *
   * @throws ProblemError `unavailable` after {@link longestWaitMs}, naming the position that was reached
   */
  async waitFor(query: QueryParameters): Promise<void> {
    const wanted = readWhole(query, 'waitFor', { minimum: 0, code: 'invalid_parameter' });
    if (wanted === undefined) return;
    const deadline = performance.now() + longestWaitMs;
    for (;;) {
      const projectedSequence = await this.read();
      if (projectedSequence >= wanted) return;
      if (performance.now() >= deadline) {
        throw new ProblemError('unavailable', `The read model has reached ${projectedSequence} of the Journal, not yet ${wanted}`, {
          headers: { ...positionHeaders({ projectedSequence }), 'Retry-After': '1' },
        });
      }
      await pause(lookEveryMs);
    }
  }
}
