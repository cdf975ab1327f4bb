import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ErrorCode, McpError, ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { ProviderFailure } from '../failures/provider-failure.ts';
import type { DepartingTransport } from './departing-transport.ts';
import type { Departure } from './departure.ts';

export interface McpRequest {
  readonly method: 'tools/call' | 'tools/list';
  readonly params: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly departure?: Departure;
}

/** An MCP result of any shape: what a tool answers is passed through, not judged by its output schema. */
export type McpResult = Readonly<Record<string, unknown>>;

export interface ConnectionListener {
  /** Told once: this connection takes no further request. */
  onEnd(): void;
  /** Told once: nothing of it is left. */
  onClosed(): void;
}

const clientInfo = { name: 'agentstration-tool-executor', version: '1' };
/** The longest time limit of a timer; the signal of a request ends it earlier. */
const longest = 2 ** 31 - 1;

/** One initialized MCP session, shared by all calls with the same credentials. */
export class ProviderConnection {
  readonly #client = new Client(clientInfo, { capabilities: {} });
  #state: 'opening' | 'open' | 'retired' | 'closed' = 'opening';
  #busy = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  #everAnswered = false;

  constructor(
    private readonly transport: DepartingTransport,
    private readonly idleTimeoutMs: number,
    private readonly listener: ConnectionListener,
  ) {
    this.#client.onclose = () => {
      this.#end('closed');
      this.listener.onClosed();
    };
    // An answer or a report of progress that nobody waits for. The error's text holds what the server sent.
    this.#client.onerror = () => this.transport.onignored?.();
    this.transport.onstale = () => this.retire();
  }

  /** @throws ProviderFailure */
  async initialize(timeoutMs: number): Promise<void> {
    try {
      await this.#client.connect(this.transport, { timeout: timeoutMs, maxTotalTimeout: timeoutMs });
      if (this.#state !== 'opening') throw new ProviderFailure('provider_unavailable', 'The server ended while it was initialized.');
      this.#state = 'open';
      this.#rest();
    } catch (error) {
      await this.close();
      throw initializeFailure(error, timeoutMs);
    }
  }

  get usable(): boolean {
    return this.#state === 'open';
  }

  get idle(): boolean {
    return this.#busy === 0;
  }

  /** Whether it has ever served a request: a server that starts and dies has not. */
  get proven(): boolean {
    return this.#everAnswered;
  }

  /** @throws ProviderFailure for everything but a result, {@link McpError} for the server's own error */
  async request({ method, params, signal, departure }: McpRequest): Promise<McpResult> {
    this.#busy += 1;
    clearTimeout(this.#idleTimer);
    try {
      // The SDK hands the request to the transport within this very call.
      this.transport.departNext(departure);
      const options = { signal, timeout: longest, onprogress: () => undefined };
      const answer = this.#client.request({ method, params }, ResultSchema, options);
      this.transport.departNext(undefined);
      const result = await answer;
      this.#everAnswered = true;
      return result;
    } catch (error) {
      throw signal.aborted ? noLongerAwaited() : this.#requestFailure(error);
    } finally {
      this.#busy -= 1;
      if (this.#busy === 0) this.#rest();
    }
  }

  /** Takes no further request; ends when the last one has. */
  retire(): void {
    if (this.#state === 'opening' || this.#state === 'closed') return;
    this.#end('retired');
    if (this.#busy === 0) this.#rest();
  }

  async close(): Promise<void> {
    this.#end('closed');
    await this.transport.close();
  }

  #end(state: 'retired' | 'closed'): void {
    clearTimeout(this.#idleTimer);
    const ends = this.#state === 'open' || this.#state === 'opening';
    this.#state = state;
    if (ends) this.listener.onEnd();
  }

  /** Nobody uses it now: it goes when it is retired, or when that lasts. */
  #rest(): void {
    clearTimeout(this.#idleTimer);
    if (this.#state === 'retired') void this.close();
    if (this.#state === 'open') this.#idleTimer = setTimeout(() => void this.close(), this.idleTimeoutMs).unref();
  }

  #requestFailure(error: unknown): unknown {
    if (error instanceof ProviderFailure) return error;
    if (!(error instanceof McpError))
      return new ProviderFailure('provider_protocol_error', 'The server answered with no MCP result.', { cause: error });
    if (error.data instanceof ProviderFailure) return error.data;
    if (error.code === (ErrorCode.ConnectionClosed as number) && this.#state === 'closed')
      return new ProviderFailure('provider_connection_lost', 'The connection ended before the answer.');
    this.#everAnswered = true;
    return new ProviderFailure('provider_error', `The server answered with the JSON-RPC error ${error.code}.`);
  }
}

const noLongerAwaited = (): ProviderFailure => new ProviderFailure('provider_timeout', 'The answer did not come in time.');

function initializeFailure(error: unknown, timeoutMs: number): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof McpError) {
    if (error.data instanceof ProviderFailure) return error.data;
    if (error.code === (ErrorCode.RequestTimeout as number))
      return new ProviderFailure('provider_unavailable', `The server was not ready within ${timeoutMs} ms.`);
    return new ProviderFailure('provider_unavailable', 'The server ended, or refused, while it was initialized.');
  }
  return new ProviderFailure('provider_unavailable', 'The server speaks no protocol revision that is supported here.', { cause: error });
}
