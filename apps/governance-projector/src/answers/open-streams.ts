import type { BeforeApplicationShutdown } from '@nestjs/common';

/** Answers without an end: they are ended before the listener waits for them. */
export class OpenStreams implements BeforeApplicationShutdown {
  readonly #shutdown = new AbortController();

  /** Aborted when the service shuts down. */
  get ending(): AbortSignal {
    return this.#shutdown.signal;
  }

  beforeApplicationShutdown(): void {
    this.#shutdown.abort();
  }
}
