import type { Scope } from '@agentstration/contracts';
import type { Configuration } from '@agentstration/service-kit';
import type { DataSource } from 'typeorm';
import { type RetentionDays, type WorkspaceRemoval, enforceRetention } from './enforce-retention.ts';

/** What the configuration says: a Workspace's own days, or everyone's; 0 is for ever. */
export const retentionDaysOf =
  ({ ReadModel }: Configuration): RetentionDays =>
  ({ tenantId, workspaceId }: Scope) =>
    (ReadModel.WorkspaceRetentionDays[`${tenantId}.${workspaceId}`] ?? ReadModel.RetentionDays) || undefined;

export interface RetentionScheduleParts {
  readonly database: DataSource;
  readonly days: RetentionDays;
  readonly everyMs: number;
  /** Only the process that projects removes. */
  readonly isActive: () => boolean;
  readonly onRemoved: (removed: WorkspaceRemoval) => void;
  readonly onFailed: (error: Error) => void;
}

/** Enforces retention from time to time, until stopped. */
export class RetentionSchedule {
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly parts: RetentionScheduleParts) {}

  start(): void {
    this.#timer = setInterval(() => void (this.#running = this.#running.then(() => this.#run())), this.parts.everyMs).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { database, days, isActive, onRemoved, onFailed } = this.parts;
    if (!isActive() || this.#stopped.signal.aborted) return;
    try {
      const removed = await enforceRetention({ database, days, now: Date.now(), signal: this.#stopped.signal });
      removed.forEach(onRemoved);
    } catch (error) {
      onFailed(error as Error);
    }
  }
}
