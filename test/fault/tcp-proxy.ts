import { type Server, type Socket, connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** What the proxy does to bytes: `blackhole` keeps connections open and moves nothing, `cut` resets them. */
export type ProxyMode = 'pass' | 'cut' | 'blackhole' | { readonly delayMs: number };

/** A TCP proxy between two real processes, so that a network can be broken between them. */
export class TcpProxy {
  #mode: ProxyMode = 'pass';
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

  set(mode: ProxyMode): void {
    this.#mode = mode;
    for (const [client, upstream] of this.#pairs) {
      if (mode === 'cut') this.#reset(client, upstream);
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
      this.#reset(client, upstream);
    };
    this.#pipe(client, upstream);
    this.#pipe(upstream, client);
    for (const socket of pair) socket.on('error', forget).on('close', forget);
    if (this.#mode === 'blackhole') pair.forEach((socket) => socket.pause());
  }

  #pipe(from: Socket, to: Socket): void {
    from.on('data', (bytes) => {
      const mode = this.#mode;
      const send = (): void => void (to.writable && to.write(bytes));
      if (typeof mode === 'object') setTimeout(send, mode.delayMs);
      else send();
    });
  }

  #reset(client: Socket, upstream: Socket): void {
    client.resetAndDestroy();
    upstream.resetAndDestroy();
  }
}
