import { AnswerIdScanner } from './answer-id-scanner.ts';

export interface LineHandler {
  onLine(text: string): void;
  /** A line above the limit, thrown away unread; `id` is the request that it answers, as far as can be told. */
  onTooLong(id: string | number | undefined): void;
}

const newline = 0x0a;

/** Cuts a byte stream into lines of at most `maximumBytes`, and never holds more than that. */
export class LineReader {
  #parts: Buffer[] = [];
  #size = 0;
  #discarded: AnswerIdScanner | undefined;

  constructor(
    private readonly maximumBytes: number,
    private readonly handler: LineHandler,
  ) {}

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      this.#take(chunk.subarray(start, end));
      this.#endLine();
      start = end + 1;
    }
    this.#take(chunk.subarray(start));
  }

  #take(part: Buffer): void {
    this.#size += part.length;
    if (this.#discarded) return this.#discarded.push(part);
    if (part.length > 0) this.#parts.push(part);
    if (this.#size <= this.maximumBytes) return;
    const scanner = new AnswerIdScanner();
    for (const held of this.#parts) scanner.push(held);
    this.#discarded = scanner;
    this.#parts = [];
  }

  #endLine(): void {
    const [parts, discarded] = [this.#parts, this.#discarded];
    this.#parts = [];
    this.#size = 0;
    this.#discarded = undefined;
    if (discarded) return this.handler.onTooLong(discarded.id());
    const text = Buffer.concat(parts).toString('utf8').trim();
    if (text !== '') this.handler.onLine(text);
  }
}
