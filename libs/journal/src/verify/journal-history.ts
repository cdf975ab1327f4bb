import type { JournalState } from '../read/journal-state.ts';

/** How long a replicated Journal may seem shorter after an election, until its new leader has caught up. In milliseconds. */
const electionGraceMs = 10_000;

/** What was known when a look at the Journal was asked for. */
export interface Look {
  readonly state: JournalState;
  /** {@link JournalHistory.floor} when the question was sent. */
  readonly floor: number;
  /** Monotonic, in milliseconds. */
  readonly now: number;
}

/**
 * Remembers which stream the Journal is and how far it was seen to reach. A recreated or shortened Journal has lost
 * facts; looking at it again cannot make it whole, so that what was found stays found until the process is restarted by
 * somebody who knows.
 */
export class JournalHistory {
  #created: string | undefined;
  #floor = 0;
  #shorterSince: number | undefined;
  #lost: string | undefined;

  /** The highest sequence that the Journal was seen to have: a fact stored from now on has a higher one. */
  get floor(): number {
    return this.#floor;
  }

  /** Whether a Journal was ever seen. */
  get began(): boolean {
    return this.#created !== undefined;
  }

  reached(sequence: number): void {
    if (Number.isSafeInteger(sequence)) this.#floor = Math.max(this.#floor, sequence);
  }

  /** Why the Journal is not the one that was seen before; undefined when it is. */
  judge(look: Look): string | undefined {
    this.#created ??= look.state.created;
    this.#lost ??= this.#recreated(look.state);
    if (this.#lost !== undefined) return this.#lost;
    if (look.state.lastSequence >= look.floor) {
      this.#shorterSince = undefined;
      this.reached(look.state.lastSequence);
      return undefined;
    }
    return this.#shorter(look);
  }

  #recreated({ created }: JournalState): string | undefined {
    if (created === this.#created) return undefined;
    return (
      `The Journal was recreated: this stream is of ${created}, the one before it was of ${this.#created}. Its facts are gone. ` +
      'Restore the stream from a backup, or restart the services to go on with the new one.'
    );
  }

  #shorter({ state, floor, now }: Look): string {
    const what = `The Journal ends at sequence ${state.lastSequence} although it had reached ${floor}`;
    this.#shorterSince ??= now;
    if (state.replicas > 1 && now - this.#shorterSince < electionGraceMs) return `${what}; waiting for its new leader to catch up.`;
    this.#lost = `${what}: acknowledged facts are lost. Restore the stream from a backup, or restart the services to go on without them.`;
    return this.#lost;
  }
}
