import process from 'node:process';
import { createInterface } from 'node:readline';
import { setInterval } from 'node:timers';
import { Protocol, answerText } from './protocol.mjs';

/** Serves one client on the standard streams. */
export function serveStdio(flags, record) {
  const protocol = new Protocol(flags, record);
  const write = (text) => process.stdout.write(`${text}\n`);
  const notify = (message) => write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  const carrier = { noise: write, notify, credential: process.env.MCP_CREDENTIAL };
  if (flags.noise) write('this server greets on its standard output');
  if (flags['ignore-eof']) {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1000);
  }
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const message = JSON.parse(line);
    const ending = await protocol.handle(message, carrier);
    const text = ending && answerText(message.id, ending);
    if (text) write(text);
  });
}
