import { type JSONRPCMessage, isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Agent } from 'undici';
import { type DepartingTransport, cancelledRequest } from '../connection/departing-transport.ts';
import { Departure } from '../connection/departure.ts';
import { failedAnswer } from '../connection/read-message.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { Exchange } from './exchange.ts';
import { type HttpRequest, type HttpResponse, connectionLost, sendRequest } from './send-request.ts';

export interface HttpServer {
  readonly url: URL;
  /** Headers of the provider; they may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly agent: Agent;
}

const sessionId = /^[\x21-\x7e]{1,1024}$/;
/** For what is sent out of courtesy: cancellations and the end of a session. */
const courtesyMs = 1_000;

/**
 * MCP over Streamable HTTP (revisions 2025-03-26 to 2025-11-25). The SDK's own transport cannot tell whether a request
 * has left, waits for ever when a stream ends without an answer, reads answers of any size, and asks for tokens where a
 * server points; this one does none of it. No stream of unrequested messages is opened: nothing here would trust them.
 */
export class HttpTransport implements DepartingTransport {
  readonly kind = 'streamableHttp';
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onstale?: (() => void) | undefined;
  onignored?: (() => void) | undefined;
  readonly #exchanges = new Map<string | number, Exchange>();
  readonly #ending = new AbortController();
  #next: Departure | undefined;
  #sessionId: string | undefined;
  #protocolVersion: string | undefined;

  constructor(
    private readonly server: HttpServer,
    private readonly maximumBytes: number,
  ) {}

  start(): Promise<void> {
    return Promise.resolve();
  }

  departNext(departure: Departure | undefined): void {
    this.#next = departure;
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  /** Resolves when a request has been answered, by the server or by a failure of ours, or a notification been taken. */
  async send(message: JSONRPCMessage): Promise<void> {
    const departure = this.#next ?? new Departure();
    this.#next = undefined;
    const cancelled = cancelledRequest(message);
    if (cancelled !== undefined) return this.#cancel(cancelled, message);
    if (!isJSONRPCRequest(message)) return this.#tell(message, this.#ending.signal);
    const exchange = new Exchange(message, departure, {
      maximumBytes: this.maximumBytes,
      post: (body, signal, leaving) => this.#post(body, signal, leaving),
      resume: (lastEventId, signal) => this.#resume(lastEventId, signal),
      deliver: (delivered) => this.onmessage?.(delivered),
      ignore: () => this.onignored?.(),
    });
    this.#exchanges.set(message.id, exchange);
    await exchange.run().catch((error: unknown) => this.#fail(message.id, error));
    this.#exchanges.delete(message.id);
  }

  /** Ends a request that is still waited for. */
  #fail(id: string | number, error: unknown): void {
    if (this.#exchanges.has(id)) this.onmessage?.(failedAnswer(id, error instanceof ProviderFailure ? error : connectionLost(error)));
  }

  /** Tells the server that nobody waits any more, and hangs up. A request that never left is not mentioned. */
  async #cancel(id: string | number, message: JSONRPCMessage): Promise<void> {
    const exchange = this.#exchanges.get(id);
    if (!exchange) return;
    this.#exchanges.delete(id);
    try {
      if (exchange.departure.left) await this.#tell(message, AbortSignal.any([this.#ending.signal, AbortSignal.timeout(courtesyMs)]));
    } finally {
      exchange.abort();
    }
  }

  async #tell(message: JSONRPCMessage, signal: AbortSignal): Promise<void> {
    const response = await this.#post(JSON.stringify(message), signal);
    await response.body.dump();
  }

  async #post(body: string, signal: AbortSignal, departure?: Departure): Promise<HttpResponse> {
    const hadSession = this.#sessionId !== undefined;
    const headers = { ...this.#headers(), 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await this.#send({ method: 'POST', url: this.server.url, headers, body, signal }, departure);
    const failure = judgeStatus(response.statusCode, hadSession ? 'provider_session_gone' : 'provider_error');
    if (failure) throw this.#turnAway(response, failure);
    this.#rememberSession(response);
    return response;
  }

  async #resume(lastEventId: string, signal: AbortSignal): Promise<HttpResponse> {
    const headers = { ...this.#headers(), accept: 'text/event-stream', 'last-event-id': lastEventId };
    const response = await this.#send({ method: 'GET', url: this.server.url, headers, signal });
    if (response.statusCode === 200) return response;
    const gone = response.statusCode >= 400 && response.statusCode < 500;
    throw this.#turnAway(response, gone ? sessionLost() : connectionLost());
  }

  async #send(request: HttpRequest, departure?: Departure): Promise<HttpResponse> {
    try {
      return await sendRequest(this.server.agent, request, departure);
    } catch (error) {
      this.onstale?.();
      throw error;
    }
  }

  /** Whatever a server says beside an answer, the next request is better off with a new session. */
  #turnAway(response: HttpResponse, failure: ProviderFailure): ProviderFailure {
    response.body.on('error', () => undefined).destroy();
    this.onstale?.();
    return failure;
  }

  #rememberSession({ headers }: HttpResponse): void {
    const id = headers['mcp-session-id'];
    if (typeof id === 'string' && sessionId.test(id)) this.#sessionId = id;
  }

  #headers(): Record<string, string> {
    return {
      ...this.server.headers,
      ...(this.#sessionId === undefined ? {} : { 'mcp-session-id': this.#sessionId }),
      ...(this.#protocolVersion === undefined ? {} : { 'mcp-protocol-version': this.#protocolVersion }),
    };
  }

  /** Hangs up, ends the session out of courtesy, and closes every socket. */
  async close(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort(connectionLost());
    for (const [id, exchange] of this.#exchanges) {
      exchange.abort();
      this.#fail(id, connectionLost());
    }
    await this.#endSession();
    await this.server.agent.destroy();
    this.onclose?.();
  }

  async #endSession(): Promise<void> {
    if (this.#sessionId === undefined) return;
    const signal = AbortSignal.timeout(courtesyMs);
    const headers = this.#headers();
    await sendRequest(this.server.agent, { method: 'DELETE', url: this.server.url, headers, signal })
      .then((response) => response.body.dump())
      .catch(() => undefined);
  }
}

const sessionLost = (): ProviderFailure => new ProviderFailure('provider_session_lost', 'The session ended while the answer was awaited.');

/**
 * What an HTTP status says about a request; undefined when its body is to be read. Redirects are not followed. A gateway
 * that gives up (408, 499, 5xx) does not know whether the server behind it went on.
 */
function judgeStatus(status: number, whenNotFound: 'provider_session_gone' | 'provider_error'): ProviderFailure | undefined {
  if (status >= 200 && status < 300) return undefined;
  if (status === 404) return new ProviderFailure(whenNotFound, 'The server answered with HTTP status 404.');
  const text = `The server answered with HTTP status ${status}.`;
  if (status === 408 || status === 499 || status >= 500) return new ProviderFailure('provider_connection_lost', text);
  return new ProviderFailure(status < 400 ? 'provider_protocol_error' : 'provider_error', text);
}
