import { setTimeout as pause } from 'node:timers/promises';
import { JournalBroken } from '@agentstration/journal';
import {
  JournalContradiction,
  LeaseLost,
  activeGeneration,
  describeFormat,
  ensureGeneration,
  readCheckpoint,
  readModelFormat,
  releaseLease,
  standbyRetryMs,
  takeLease,
} from '@agentstration/store/read-model';
import type { DataSource } from 'typeorm';
import type { JournalSource } from './journal-source.ts';
import { projectGeneration } from './project-generation.ts';

/**
 * What the projector does: `projecting`, once the Journal has shown that it can be trusted; `standby` while another one projects; `waiting` for database or Journal;
 * `halted` because the Journal cannot be trusted; `outdated` because the read model is of another format.
 */
export type ProjectorState = 'starting' | 'projecting' | 'standby' | 'waiting' | 'halted' | 'outdated' | 'stopped';

export interface ProjectorStatus {
  readonly state: ProjectorState;
  readonly generation: number | undefined;
  /** The last sequence that this process projected. */
  readonly sequence: number;
  readonly reason: string | undefined;
}

export interface ProjectorEvents {
  changed(status: ProjectorStatus): void;
  projected(batch: { readonly sequence: number; readonly messages: number; readonly deadLetters: number }): void;
  interrupted(error: Error): void;
}

export interface ProjectorParts {
  readonly database: DataSource;
  readonly journal: JournalSource;
  /** Unique per process: holds the lease. */
  readonly owner: string;
  readonly events: ProjectorEvents;
}

const firstPauseMs = 100;
const longestPauseMs = 5000;

/** Keeps the active generation up to date: one process projects, others stand by, and errors that pass are waited out. */
export class Projector {
  #status: ProjectorStatus = { state: 'starting', generation: undefined, sequence: 0, reason: undefined };
  readonly #stopped = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #pauseMs = firstPauseMs;

  constructor(private readonly parts: ProjectorParts) {}

  get status(): ProjectorStatus {
    return this.#status;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Finishes the batch at hand, and lets a standby take over at once. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        const waitMs = await this.#projectActive();
        if (waitMs > 0) await this.#wait(waitMs);
      } catch (error) {
        await this.#wait(this.#report(error));
      }
    }
    this.#become('stopped');
  }

  /** Projects until the active generation is another one; answers how long to wait before the next look. */
  async #projectActive(): Promise<number> {
    const { database, journal, owner, events } = this.parts;
    const generation = await ensureGeneration(database);
    const checkpoint = await readCheckpoint(database, generation);
    if (checkpoint?.format !== readModelFormat) {
      this.#become('outdated', {
        generation,
        reason: checkpoint ? describeFormat(checkpoint.format) : `generation ${generation} is gone`,
      });
      return longestPauseMs;
    }
    const lease = { generation, owner };
    if (!(await takeLease(database, lease))) {
      this.#become('standby', { generation });
      return standbyRetryMs;
    }
    const isActive = async () => (await activeGeneration(database)) === generation;
    const goesOn = (sequence: number): void => {
      this.#pauseMs = firstPauseMs;
      this.#become('projecting', { generation, sequence });
    };
    const onProjected: ProjectorEvents['projected'] = (batch) => {
      goesOn(batch.sequence);
      events.projected(batch);
    };
    const { signal } = this.#stopped;
    try {
      await projectGeneration({
        database,
        journal,
        ...lease,
        signal,
        goOn: isActive,
        onProjected,
        onCaughtUp: () => goesOn(checkpoint.sequence),
        onInterruption: (error) => events.interrupted(error),
      });
    } finally {
      await releaseLease(database, lease).catch(() => undefined);
    }
    return 0;
  }

  /** What an error means, and how long to wait after it. */
  #report(error: unknown): number {
    const reason = error instanceof Error ? error.message : 'an unknown error';
    if (error instanceof LeaseLost) {
      this.#become('standby');
      return standbyRetryMs;
    }
    const halted = error instanceof JournalContradiction || error instanceof JournalBroken;
    this.#become(halted ? 'halted' : 'waiting', { reason });
    // A halt is looked at again as well: a rebuild by the operator ends it.
    const waitMs = halted ? longestPauseMs : this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs);
    return waitMs;
  }

  #become(state: ProjectorState, more: Partial<ProjectorStatus> = {}): void {
    const before = this.#status;
    this.#status = { ...before, reason: undefined, ...more, state };
    if (before.state !== state || before.reason !== this.#status.reason) this.parts.events.changed(this.#status);
  }

  #wait(milliseconds: number): Promise<void> {
    return pause(milliseconds, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }
}
