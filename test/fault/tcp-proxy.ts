import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NatsFrame, NatsFrames } from './nats-frames.ts';

/**
 * What the proxy does: `blackhole` keeps connections open and moves nothing, `cut` resets them, `loses` drops single
 * messages of the NATS protocol.
 */
export type ProxyMode =
  'pass' | 'cut' | 'blackhole' | { readonly delayMs: number } | { readonly loses: (frame: NatsFrame, to: 'client' | 'server') => boolean };

/** A TCP proxy between executors and their broker, so that the network can be broken between them. */
export class TcpProxy {
  #mode: ProxyMode = 'pass';
  #lost = 0;
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

  /** How many messages were dropped. */
  get lost(): number {
    return this.#lost;
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
    if (this.#mode === 'cut') return void client.resetAndDestroy();
    const upstream = connect(this.target, '127.0.0.1');
    const pair = [client, upstream] as const;
    this.#pairs.add(pair);
    const forget = (): void => {
      this.#pairs.delete(pair);
      reset(client, upstream);
    };
    this.#pipe(client, upstream, 'server');
    this.#pipe(upstream, client, 'client');
    for (const socket of pair) socket.on('error', forget).on('close', forget);
    if (this.#mode === 'blackhole') pair.forEach((socket) => socket.pause());
  }

  /** What was held back stays in order: nothing overtakes it when the mode changes. */
  #pipe(from: Socket, into: Socket, to: 'client' | 'server'): void {
    const frames = new NatsFrames();
    let waiting = 0;
    let before: Promise<void> = Promise.resolve();
    from.on('data', (received: Buffer) => {
      const bytes = this.#keep(frames.push(received), to);
      const write = (): void => void (into.writable && bytes.length > 0 && into.write(bytes));
      const delayMs = typeof this.#mode === 'object' && 'delayMs' in this.#mode ? this.#mode.delayMs : 0;
      if (delayMs === 0 && waiting === 0) return write();
      waiting++;
      const due = sleep(delayMs);
      before = before.then(() => due).then(() => (waiting--, write()));
    });
  }

  #keep(frames: readonly NatsFrame[], to: 'client' | 'server'): Buffer {
    const mode = this.#mode;
    const kept = typeof mode === 'object' && 'loses' in mode ? frames.filter((frame) => !mode.loses(frame, to)) : frames;
    this.#lost += frames.length - kept.length;
    return Buffer.concat(kept.map(({ bytes }) => bytes));
  }
}

function reset(...sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.resetAndDestroy();
}
