import type { JsMsg } from '@nats-io/jetstream';

/** A header of our own on requests that came in through `call`: where the result is also sent. */
export const replyHeader = 'Agentstration-Reply';

/**
 * A Request that this executor holds: it says `working` to the broker at a third of the acknowledgement wait until it is
 * settled, so that no other executor gets it meanwhile.
 */
export class HeldRequest {
  #message: JsMsg;
  readonly #heartbeat: NodeJS.Timeout;
  #settled = false;

  constructor(
    message: JsMsg,
    readonly queueIdentity: string,
    ackWaitMs: number,
  ) {
    this.#message = message;
    this.#heartbeat = setInterval(() => this.#message.working(), ackWaitMs / 3);
  }

  get subject(): string {
    return this.#message.subject;
  }

  get payload(): Uint8Array {
    return this.#message.data;
  }

  /** `<stream identity>:<sequence>`: the same over redeliveries, another one in a recreated queue. */
  get queuePosition(): string {
    return `${this.queueIdentity}:${this.#message.seq}`;
  }

  /** When the broker stored it: milliseconds since the epoch. */
  get askedAt(): number {
    return this.#message.time.getTime();
  }

  get redelivered(): boolean {
    return this.#message.redelivered;
  }

  header(name: string): string | undefined {
    return this.#message.headers?.get(name) || undefined;
  }

  /** The broker delivered the same Request once more while it is held: from now on its newest delivery is answered. */
  adopt(message: JsMsg): void {
    if (this.#settled) return;
    this.#message = message;
    message.working();
  }

  /** Removes the Request from the queue. False when the broker did not confirm: it will be delivered again. */
  async finish(): Promise<boolean> {
    this.#settle();
    return this.#message.ackAck().catch(() => false);
  }

  /** Delivers the Request again after this time. */
  again(delayMs: number): void {
    this.#settle();
    this.#message.nak(delayMs);
  }

  /** Leaves the Request to whoever has it, or to a later delivery. */
  release(): void {
    this.#settle();
  }

  #settle(): void {
    this.#settled = true;
    clearInterval(this.#heartbeat);
  }
}
