/** One message of the NATS client protocol, whole: its control line and, where it has one, its payload. */
export interface NatsFrame {
  /** `PUB`, `HMSG`, `PING`, … */
  readonly verb: string;
  readonly subject: string;
  readonly bytes: Buffer;
}

const carriesPayload = /^(?:PUB|HPUB|MSG|HMSG) /i;

/** Splits one direction of a NATS connection into frames, so that single messages can be lost on the way. */
export class NatsFrames {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that these bytes complete. */
  push(bytes: Buffer): readonly NatsFrame[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const frames: NatsFrame[] = [];
    for (let frame = this.#next(); frame; frame = this.#next()) frames.push(frame);
    return frames;
  }

  #next(): NatsFrame | undefined {
    const end = this.#rest.indexOf('\r\n');
    if (end < 0) return undefined;
    const line = this.#rest.toString('latin1', 0, end);
    const words = line.split(' ');
    const payload = carriesPayload.test(line) ? Number(words.at(-1)) + 2 : 0;
    const length = end + 2 + payload;
    if (this.#rest.length < length) return undefined;
    const bytes = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return { verb: (words[0] ?? '').toUpperCase(), subject: words[1] ?? '', bytes };
  }
}
