import { setTimeout as pause } from 'node:timers/promises';
import { LeaseLost, leaseRenewalMs, projectBatch, readCheckpoint, takeLease } from '@agentstration/store/read-model';
import type { DataSource } from 'typeorm';
import type { JournalSource } from './journal-source.ts';
import { oneAhead } from './one-ahead.ts';
import { type ReadBatch, readFromCheckpoint } from './read-from-checkpoint.ts';
import { RepeatedRemovals } from './repeated-removals.ts';

export interface GenerationProjection {
  readonly database: DataSource;
  readonly journal: JournalSource;
  readonly generation: number;
  /** Who projects: holds the lease of the generation. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly onProjected: (batch: { readonly sequence: number; readonly messages: number; readonly deadLetters: number }) => void;
  readonly onInterruption: (error: Error) => void;
  /** The Journal can be trusted, and there is nothing to project yet. */
  readonly onCaughtUp?: () => void;
  /** Asked at every renewal of the lease; false ends the projection. */
  readonly goOn?: () => Promise<boolean>;
  /** Projects no message beyond this one, and ends there; without it there is no end. */
  readonly until?: number;
}

/**
 * Projects the Journal into one generation, from its checkpoint on. Returns when `signal` aborts, `goOn` says no, or
 * `until` is reached.
 *
 * @throws LeaseLost when another projector took over; JournalContradiction and JournalBroken as alarms; StoreUnavailable
 * and JournalUnavailable when it is worth trying again
 */
export async function projectGeneration(projection: GenerationProjection): Promise<void> {
  const { database, journal, generation, owner, onInterruption, onCaughtUp, until = Infinity } = projection;
  const checkpoint = await readCheckpoint(database, generation);
  if (!checkpoint) throw new LeaseLost(generation);
  const removals = await RepeatedRemovals.of(database, { generation, owner });
  await removals.repeat(checkpoint.sequence);
  if (checkpoint.sequence >= until) return;
  const lease = new LeaseRenewal(projection);
  try {
    const reading = { checkpoint, signal: lease.signal, onInterruption, ...(onCaughtUp && { onCaughtUp }) };
    for await (const batch of oneAhead(readFromCheckpoint(journal, reading))) {
      if ((await projectRead(batch, projection, removals)) >= until) break;
    }
  } finally {
    await lease.end();
  }
  if (lease.failure) throw lease.failure;
}

/** Answers the last sequence of the batch, projected or beyond the end. */
async function projectRead(batch: ReadBatch, projection: GenerationProjection, removals: RepeatedRemovals): Promise<number> {
  const { database, generation, owner, onProjected, until = Infinity } = projection;
  const wanted = batch.messages.filter(({ sequence }) => sequence <= until);
  for (const messages of removals.cut(wanted)) {
    const sequence = await projectBatch(database, { generation, owner, streamCreated: batch.streamCreated, messages });
    await removals.repeat(sequence);
    onProjected({ sequence, messages: messages.length, deadLetters: messages.filter(({ fact }) => !fact).length });
  }
  return batch.messages.at(-1)!.sequence;
}

/** Keeps the lease while nothing is projected, and ends the reading when that fails. */
class LeaseRenewal {
  readonly #ended = new AbortController();
  readonly signal: AbortSignal;
  readonly #renewing: Promise<void>;
  failure: Error | undefined;

  constructor(private readonly projection: GenerationProjection) {
    this.signal = AbortSignal.any([projection.signal, this.#ended.signal]);
    this.#renewing = this.#renew();
  }

  async #renew(): Promise<void> {
    const { database, generation, owner, goOn } = this.projection;
    try {
      while (await waits(leaseRenewalMs, this.signal)) {
        if (!(await takeLease(database, { generation, owner }))) throw new LeaseLost(generation);
        if (goOn && !(await goOn())) break;
      }
    } catch (error) {
      this.failure = error as Error;
    }
    this.#ended.abort();
  }

  end(): Promise<void> {
    this.#ended.abort();
    return this.#renewing;
  }
}

/** False when aborted. */
const waits = (milliseconds: number, signal: AbortSignal): Promise<boolean> =>
  pause(milliseconds, undefined, { signal, ref: false }).then(
    () => true,
    () => false,
  );
