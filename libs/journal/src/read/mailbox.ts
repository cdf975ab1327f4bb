/** What was received and not yet taken. One side puts, one side takes. */
export class Mailbox<Item> {
  #items: Item[] = [];
  #closed = false;
  #wake: (() => void) | undefined;
  #waiting: Promise<void> | undefined;

  get closed(): boolean {
    return this.#closed;
  }

  get empty(): boolean {
    return this.#items.length === 0;
  }

  put(item: Item): void {
    if (this.#closed) return;
    this.#items.push(item);
    this.#changed();
  }

  /** Nothing more comes; what is there can still be taken. */
  close(): void {
    this.#closed = true;
    this.#changed();
  }

  /** Waits for the first item and takes all that are there, up to `maximum`. Empty when closed and empty. */
  async take(maximum: number): Promise<readonly Item[]> {
    while (this.#items.length === 0 && !this.#closed) await this.#change();
    const taken = this.#items.splice(0, maximum);
    this.#changed();
    return taken;
  }

  /** Resolves once everything was taken, or when closed. */
  async emptied(): Promise<void> {
    while (this.#items.length > 0 && !this.#closed) await this.#change();
  }

  #change(): Promise<void> {
    this.#waiting ??= new Promise((resolve) => (this.#wake = resolve));
    return this.#waiting;
  }

  #changed(): void {
    this.#waiting = undefined;
    this.#wake?.();
  }
}
