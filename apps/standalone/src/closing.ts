/** Ends one thing. */
export type Close = () => Promise<void>;

/** What has been started so far, ended in reverse order: nothing loses what it still stands on. */
export class Closing {
  readonly #steps: Close[] = [];

  add(step: Close): void {
    this.#steps.push(step);
  }

  /** Ends everything, also after a step has failed; throws the first failure. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) await step().catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}
