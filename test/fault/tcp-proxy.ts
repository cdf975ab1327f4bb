import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NatsFrame, NatsFrames, NatsInboxes } from './nats-frames.ts';

/**
 * What the proxy does: `blackhole` keeps connections open and moves nothing, `cut` resets them, `loses` drops single
 * messages of the NATS protocol, `forges` drops a publish and answers it as a broker would that says what is given.
 */
export type ProxyMode =
  | 'pass'
  | 'cut'
  | 'blackhole'
  | { readonly delayMs: number }
  | { readonly loses: (frame: NatsFrame, to: 'client' | 'server') => boolean }
  | { readonly forges: (publish: NatsFrame) => string | undefined };

/** A TCP proxy between services and their broker, so that the network can be broken between them. */
export class TcpProxy {
  #mode: ProxyMode = 'pass';
  #accepted = 0;
  readonly #pairs = new Set<readonly [Socket, Socket]>();

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (client) => this.#join(client));
  }

  static async start(target: number): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TcpProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many connections were made. */
  get accepted(): number {
    return this.#accepted;
  }

  set(mode: ProxyMode): void {
    this.#mode = mode;
    for (const [client, upstream] of this.#pairs) {
      if (mode === 'cut') reset(client, upstream);
      for (const socket of [client, upstream]) {
        if (mode === 'blackhole') socket.pause();
        else socket.resume();
      }
    }
  }

  async stop(): Promise<void> {
    this.set('cut');
    await new Promise((resolve) => this.server.close(resolve));
  }

  #join(client: Socket): void {
    this.#accepted++;
    if (this.#mode === 'cut') return void client.resetAndDestroy();
    const upstream = connect(this.target, '127.0.0.1');
    const pair = [client, upstream] as const;
    this.#pairs.add(pair);
    const forget = (): void => {
      this.#pairs.delete(pair);
      reset(client, upstream);
    };
    const inboxes = new NatsInboxes();
    this.#pipe(client, upstream, (frames) => this.#toServer(frames, (answer) => client.write(answer), inboxes));
    this.#pipe(upstream, client, (frames) => this.#kept(frames, 'client'));
    for (const socket of pair) socket.on('error', forget).on('close', forget);
    if (this.#mode === 'blackhole') pair.forEach((socket) => socket.pause());
  }

  /** What was held back stays in order: nothing overtakes it when the mode changes. */
  #pipe(from: Socket, into: Socket, pass: (frames: readonly NatsFrame[]) => readonly NatsFrame[]): void {
    const splitter = new NatsFrames();
    let waiting = 0;
    let before: Promise<void> = Promise.resolve();
    from.on('data', (received: Buffer) => {
      const bytes = Buffer.concat(pass(splitter.push(received)).map((frame) => frame.bytes));
      const write = (): void => void (into.writable && bytes.length > 0 && into.write(bytes));
      const delayMs = typeof this.#mode === 'object' && 'delayMs' in this.#mode ? this.#mode.delayMs : 0;
      if (delayMs === 0 && waiting === 0) return write();
      waiting++;
      const due = sleep(delayMs);
      before = before.then(() => due).then(() => (waiting--, write()));
    });
  }

  #kept(frames: readonly NatsFrame[], to: 'client' | 'server'): readonly NatsFrame[] {
    const mode = this.#mode;
    return typeof mode === 'object' && 'loses' in mode ? frames.filter((frame) => !mode.loses(frame, to)) : frames;
  }

  #toServer(frames: readonly NatsFrame[], answer: (bytes: Buffer) => void, inboxes: NatsInboxes): readonly NatsFrame[] {
    const mode = this.#mode;
    for (const frame of frames) inboxes.sees(frame);
    if (typeof mode !== 'object' || !('forges' in mode)) return this.#kept(frames, 'server');
    return frames.filter((frame) => {
      const forged = mode.forges(frame);
      const answered = forged === undefined ? undefined : inboxes.answer(frame, forged);
      if (answered) answer(answered);
      return answered === undefined;
    });
  }
}

function reset(...sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.resetAndDestroy();
}
