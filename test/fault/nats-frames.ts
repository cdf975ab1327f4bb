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

/** The subscriptions of one client, as far as they are needed to answer its requests in the broker's place. */
export class NatsInboxes {
  /** Subject -> the client's number of its subscription. */
  readonly #subscriptions = new Map<string, string>();

  /** Every frame of the client, in order. `SUB <subject> [queue] <sid>` */
  sees({ verb, subject, bytes }: NatsFrame): void {
    if (verb === 'SUB') this.#subscriptions.set(subject, wordsOf(bytes).at(-1) ?? '');
  }

  /** The message that answers a publish; undefined where its reply subject is none that the client listens to. */
  answer({ verb, bytes }: NatsFrame, payload: string): Buffer | undefined {
    // PUB <subject> [reply] <size>, HPUB <subject> [reply] <header size> <size>
    const reply = wordsOf(bytes).at(verb === 'HPUB' ? -3 : -2) ?? '';
    const sid = this.#subscriptions.get(reply.replace(/[^.]+$/, '*')) ?? this.#subscriptions.get(reply);
    return sid === undefined ? undefined : Buffer.from(`MSG ${reply} ${sid} ${Buffer.byteLength(payload)}\r\n${payload}\r\n`);
  }
}

const wordsOf = (bytes: Buffer): readonly string[] => bytes.toString('latin1', 0, bytes.indexOf('\r\n')).split(' ');
