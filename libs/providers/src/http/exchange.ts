import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Departure } from '../connection/departure.ts';
import { type Reading, readMessages, unusableAnswer } from '../connection/read-message.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { readEventStream, readText } from './read-body.ts';
import { type HttpResponse, connectionLost } from './send-request.ts';

/** What an exchange needs of its transport. */
export interface ExchangeHost {
  readonly maximumBytes: number;
  post(body: string, signal: AbortSignal, departure: Departure): Promise<HttpResponse>;
  /** Asks for the rest of an event stream: never sends the request again. */
  resume(lastEventId: string, signal: AbortSignal): Promise<HttpResponse>;
  deliver(message: JSONRPCMessage): void;
  ignore(): void;
}

/** Resumptions in a row that brought nothing new. */
const maximumResumptions = 3;
const retryMs = { initial: 1_000, minimum: 10, maximum: 30_000 };
/** A server that has answered may still hold the stream open; not for long. */
const afterAnswerMs = 1_000;

/**
 * One request over Streamable HTTP, until it is answered: as JSON, or by an event stream that may break off and be
 * resumed where it left off. Ends by an answer, or by a failure: a stream that is over without an answer is one.
 */
export class Exchange {
  readonly #ending = new AbortController();
  #answered = false;
  #lastEventId: string | undefined;
  #retryMs = retryMs.initial;
  #resumptions = 0;
  #hangUp: NodeJS.Timeout | undefined;

  constructor(
    private readonly request: JSONRPCRequest,
    readonly departure: Departure,
    private readonly host: ExchangeHost,
  ) {}

  /** @throws ProviderFailure when no answer that can be used came, or will come */
  async run(): Promise<void> {
    try {
      let response = await this.host.post(JSON.stringify(this.request), this.#ending.signal, this.departure);
      for (;;) {
        await this.#read(response);
        if (this.#answered) return;
        response = await this.#resume();
      }
    } finally {
      clearTimeout(this.#hangUp);
    }
  }

  /** Lets the answer go. */
  abort(): void {
    this.departure.withdraw();
    this.#ending.abort(connectionLost());
  }

  async #read(response: HttpResponse): Promise<void> {
    const type = mediaType(response);
    if (type === 'application/json') {
      readMessages(await readText(response.body, this.host.maximumBytes)).forEach((reading) => this.#take(reading));
      if (!this.#answered) throw unusableAnswer();
    } else if (type === 'text/event-stream') await this.#readStream(response);
    else {
      response.body.on('error', () => undefined).destroy();
      throw new ProviderFailure('provider_protocol_error', 'The server answered with neither JSON nor an event stream.');
    }
  }

  async #readStream(response: HttpResponse): Promise<void> {
    try {
      await readEventStream(response.body, this.host.maximumBytes, {
        onReading: (reading) => this.#take(reading),
        onRetry: (ms) => (this.#retryMs = Math.min(Math.max(ms, retryMs.minimum), retryMs.maximum)),
        onEventId: (id) => {
          this.#lastEventId = id;
          this.#resumptions = 0;
        },
      });
    } catch (error) {
      const brokeOff = error instanceof ProviderFailure && error.code === 'provider_connection_lost';
      if (!brokeOff || (this.#lastEventId === undefined && !this.#answered)) throw error;
    }
  }

  async #resume(): Promise<HttpResponse> {
    for (;;) {
      if (this.#lastEventId === undefined || this.#resumptions === maximumResumptions || this.#ending.signal.aborted)
        throw connectionLost();
      this.#resumptions += 1;
      await delay(this.#retryMs, undefined, { signal: this.#ending.signal }).catch(() => undefined);
      const response = await this.host.resume(this.#lastEventId, this.#ending.signal).catch(orRethrow);
      if (response) return response;
    }
  }

  #take(reading: Reading): void {
    if (reading.kind === 'noise') return this.host.ignore();
    if (reading.kind === 'unusable') {
      if (reading.id === this.request.id) throw unusableAnswer();
      return this.host.ignore();
    }
    const { message } = reading;
    if (!('method' in message) && message.id === this.request.id) this.#settle();
    this.host.deliver(message);
  }

  #settle(): void {
    this.#answered = true;
    this.#hangUp ??= setTimeout(() => this.abort(), afterAnswerMs).unref();
  }
}

/** A network that fails is tried again; an answer that ends the session is not. */
function orRethrow(error: unknown): undefined {
  if (error instanceof ProviderFailure && ['provider_unreachable', 'provider_connection_lost'].includes(error.code)) return undefined;
  throw error;
}

function mediaType({ headers }: HttpResponse): string {
  const type = headers['content-type'];
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return 'encoded';
  return typeof type === 'string' ? (type.split(';')[0] ?? '').trim().toLowerCase() : '';
}
