import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range from which kernels take ports of outgoing connections, so that a server finds its port free again after a restart. */
const range = { from: 20_000, to: 32_768 } as const;

/** A TCP port of the loopback interface that nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(range.from, range.to);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free TCP port found on 127.0.0.1 between ${range.from} and ${range.to - 1}.`);
}

/** Whether a server could listen on this port of the loopback interface now. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
