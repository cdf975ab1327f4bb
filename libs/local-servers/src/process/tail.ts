/** Keeps the end of a text that grows, in bounded memory. */
export class Tail {
  #text = '';
  readonly #maximumLength: number;

  constructor(maximumLength = 262_144) {
    this.#maximumLength = maximumLength;
  }

  append(chunk: string): void {
    this.#text = (this.#text + chunk).slice(-this.#maximumLength);
  }

  toString(): string {
    return this.#text;
  }

  /** The last lines, for an error message. */
  lastLines(count = 15): string {
    return this.#text.trimEnd().split('\n').slice(-count).join('\n');
  }
}
