const reportEveryMs = 2000;

/** Tells how far a long projection has come, every two seconds. */
export class Progress {
  #reportedAt: number;
  #messages = 0;
  readonly #startedAt: number;

  constructor(
    private readonly say: (line: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#startedAt = this.#reportedAt = now();
  }

  projected({ sequence, messages, target }: { readonly sequence: number; readonly messages: number; readonly target: number }): void {
    this.#messages += messages;
    const now = this.now();
    if (now - this.#reportedAt < reportEveryMs) return;
    this.#reportedAt = now;
    const perSecond = (this.#messages * 1000) / (now - this.#startedAt);
    const left = Math.ceil((target - sequence) / perSecond);
    const percent = Math.floor((sequence * 100) / target);
    this.say(`projected ${sequence} of ${target} (${percent} %), ${Math.round(perSecond)} per second, ${left} s left`);
  }
}
