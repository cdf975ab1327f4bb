import type { AppendOutcome } from '@agentstration/governance';

/** So many publishes in a row without an answer, while the broker answers otherwise, is a broker that cannot store. */
const silenceLimit = 3;
/** Without a publish nobody can tell whether it still cannot. */
const silenceMattersMs = 60_000;

/** What the publishes of this process came to, where that says something about the broker. Times are monotonic. */
export class PublishRecord {
  #silent = 0;
  #silentAt = 0;
  #refusedAsFull = false;

  heard(outcome: AppendOutcome, now: number): void {
    if (outcome.kind === 'unknown') {
      this.#silent += 1;
      this.#silentAt = now;
    } else if (outcome.kind === 'acknowledged' || outcome.reason !== 'unavailable') this.#silent = 0;
    if (outcome.kind === 'refused' && outcome.reason === 'journal_full') this.#refusedAsFull = true;
  }

  /** Whether a fact was refused for want of room since {@link forgetRefusal}. */
  get refusedAsFull(): boolean {
    return this.#refusedAsFull;
  }

  forgetRefusal(): void {
    this.#refusedAsFull = false;
  }

  /** How many of the last publishes were not answered; 0 unless that many say that the broker cannot store. */
  unanswered(now: number): number {
    return this.#silent >= silenceLimit && now - this.#silentAt < silenceMattersMs ? this.#silent : 0;
  }
}
