/** A small, fast, seeded generator (mulberry32): the same seed gives the same schedule. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Waiting {
  readonly process: number;
  readonly resume: () => void;
}

/**
 * Decides which process goes on next. Simulated processes await {@link turn} wherever real ones wait for the world; a
 * process that was killed is never resumed, so it stops exactly there.
 */
export class Scheduler {
  #waiting: Waiting[] = [];
  readonly #dead = new Set<number>();

  constructor(readonly random: () => number) {}

  turn(process: number): Promise<void> {
    if (this.#dead.has(process)) return new Promise(() => undefined);
    return new Promise((resume) => this.#waiting.push({ process, resume }));
  }

  kill(process: number): void {
    this.#dead.add(process);
    this.#waiting = this.#waiting.filter((waiting) => waiting.process !== process);
  }

  get idle(): boolean {
    return this.#waiting.length === 0;
  }

  /** Lets one waiting process go on, as far as it gets without waiting again. */
  async step(): Promise<void> {
    const index = Math.floor(this.random() * this.#waiting.length);
    const [next] = this.#waiting.splice(index, 1);
    next?.resume();
    await settled();
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.random() * choices.length)] as T;
  }
}

/** Everything that can go on without a turn has gone on. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
