import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type JSONRPCMessage, isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { DepartingTransport } from '../connection/departing-transport.ts';
import { Departure } from '../connection/departure.ts';
import { failedAnswer, readMessages, tooLarge, unusableAnswer } from '../connection/read-message.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import type { StdioProfile } from '../options.ts';
import { LineReader } from './line-reader.ts';
import { type StdioChild, signalGroup, spawnChild } from './spawn-child.ts';

/** How long a child may take for each step of a polite end. */
const politenessMs = 500;

/** MCP over the standard streams of a child process: one JSON message per line. */
export class StdioTransport implements DepartingTransport {
  readonly kind = 'stdio';
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onignored?: (() => void) | undefined;
  #next: Departure | undefined;
  #child: StdioChild | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    private readonly profile: StdioProfile,
    private readonly maximumBytes: number,
  ) {}

  departNext(departure: Departure | undefined): void {
    this.#next = departure;
  }

  /** @throws ProviderFailure `provider_unavailable` when the child cannot be started */
  async start(): Promise<void> {
    const child = spawnChild(this.profile);
    const reader = new LineReader(this.maximumBytes, {
      onLine: (text) => this.#read(text),
      onTooLong: (id) => (id === undefined ? this.onignored?.() : this.onmessage?.(failedAnswer(id, tooLarge(this.maximumBytes)))),
    });
    child.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    child.stdout.on('error', () => undefined);
    // A server that no longer reads cannot be asked anything: its end is the end of the connection.
    child.stdin.on('error', () => void this.close());
    this.#closed = ended(child).then(() => this.onclose?.());
    this.#child = child;
    try {
      await once(child.process, 'spawn');
    } catch (cause) {
      throw new ProviderFailure('provider_unavailable', 'The server of the stdio profile cannot be started.', { cause });
    }
  }

  /** Writes a message. One that cannot be written is answered by a failure of ours where it asks for an answer. */
  send(message: JSONRPCMessage): Promise<void> {
    const departure = this.#next ?? new Departure();
    this.#next = undefined;
    try {
      this.#write(message, departure);
    } catch (error) {
      if (isJSONRPCRequest(message)) this.onmessage?.(failedAnswer(message.id, error as ProviderFailure));
    }
    return Promise.resolve();
  }

  /** @throws ProviderFailure when nothing was written */
  #write(message: JSONRPCMessage, departure: Departure): void {
    const child = this.#child;
    const text = `${JSON.stringify(message)}\n`;
    if (!child || child.process.exitCode !== null || child.process.signalCode !== null || !child.stdin.writable)
      throw new ProviderFailure('provider_unreachable', 'The server of the stdio profile has ended.');
    departure.leave();
    child.stdin.write(text);
  }

  /** Ends the child and everything that it started: politely at first, at last by SIGKILL to the group. */
  async close(): Promise<void> {
    const child = this.#child;
    if (!child || !this.#closed) return;
    child.stdin.end();
    if (!(await within(politenessMs, this.#closed))) signalGroup(child.process, 'SIGTERM');
    if (!(await within(politenessMs, this.#closed))) signalGroup(child.process, 'SIGKILL');
    await this.#closed;
  }

  #read(text: string): void {
    for (const reading of readMessages(text)) {
      if (reading.kind === 'message') this.onmessage?.(reading.message);
      else if (reading.kind === 'unusable') this.onmessage?.(failedAnswer(reading.id, unusableAnswer()));
      else this.onignored?.();
    }
  }
}

/**
 * Resolves when the child has ended and what it still said has been read. Whoever is left of its group is killed, so
 * that its pipes close; a process that left the group as well and holds on to them is waited for no longer than a moment.
 */
async function ended({ process: child, stdin, stdout }: StdioChild): Promise<void> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  signalGroup(child, 'SIGKILL');
  await within(politenessMs, closed);
  stdin.destroy();
  stdout.destroy();
}

/** Whether the promise settled within that time. */
const within = async (ms: number, promise: Promise<void>): Promise<boolean> => {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal, ref: false }).catch(() => false);
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    timer.abort();
  }
};
