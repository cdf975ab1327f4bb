import { once } from 'node:events';
import type { Response } from 'express';

/** An answer that is written piece by piece, no faster than its reader takes it. */
export class StreamedAnswer {
  readonly #closed = new AbortController();

  constructor(private readonly response: Response) {
    response.once('close', () => this.#closed.abort());
  }

  /** Aborted when the reader is gone. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Waits while the reader has not taken what was written before. False when the reader is gone. */
  async write(text: string | Buffer): Promise<boolean> {
    if (this.closed.aborted) return false;
    if (!this.response.write(text)) await once(this.response, 'drain', { signal: this.closed }).catch(() => undefined);
    return !this.closed.aborted;
  }

  /** Waits until the bytes have left: their memory may be used again. False when the reader is gone. */
  async writeThrough(bytes: string | Buffer): Promise<boolean> {
    if (this.closed.aborted) return false;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.response.off('close', done);
        resolve();
      };
      this.response.once('close', done).write(bytes, done);
    });
    return !this.closed.aborted;
  }

  end(): void {
    this.response.end();
  }

  /** Breaks the connection: the reader must not take what came so far for the whole. */
  break(): void {
    this.response.destroy();
  }
}
