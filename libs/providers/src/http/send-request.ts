import type { Agent, Dispatcher } from 'undici';
import { Departure } from '../connection/departure.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export type HttpResponse = Dispatcher.ResponseData;

/**
 * Sends one HTTP request, once. The departure leaves when the socket is connected and the next bytes on it are those of
 * the request.
 *
 * @throws ProviderFailure `provider_unreachable` before that, `provider_connection_lost` after it, or what the address
 * policy said
 */
export async function sendRequest(agent: Agent, request: HttpRequest, departure = new Departure()): Promise<HttpResponse> {
  const { url, signal, ...rest } = request;
  const departing = agent.compose((dispatch) => (options, handler) => dispatch(options, new DepartingHandler(handler, departure)));
  const sending = departing.request({ origin: url.origin, path: `${url.pathname}${url.search}`, signal, ...rest });
  try {
    return await untilAborted(sending, signal);
  } catch (error) {
    departure.withdraw();
    throw toFailure(error, departure);
  }
}

/** An aborted request is let go at once; the HTTP client itself would wait for the connection first. */
function untilAborted(sending: Promise<HttpResponse>, signal: AbortSignal): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    sending.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  });
}

function toFailure(error: unknown, departure: Departure): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  return departure.left ? connectionLost(error) : new ProviderFailure('provider_unreachable', 'No connection.', { cause: error });
}

export const connectionLost = (cause?: unknown): ProviderFailure =>
  new ProviderFailure('provider_connection_lost', 'The connection broke before the answer.', { cause });

/** Passes everything on, and asks the departure first when the request is about to be written. */
class DepartingHandler implements Dispatcher.DispatchHandler {
  constructor(
    private readonly inner: Dispatcher.DispatchHandler,
    private readonly departure: Departure,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    try {
      this.departure.leave();
    } catch (error) {
      return controller.abort(error as Error);
    }
    this.inner.onRequestStart?.(controller, context);
  }

  onRequestUpgrade(...upgrade: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']>>): void {
    this.inner.onRequestUpgrade?.(...upgrade);
  }

  onResponseStart(...start: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.inner.onResponseStart?.(...start);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.inner.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...end: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    this.inner.onResponseEnd?.(...end);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.inner.onResponseError?.(controller, error);
  }
}
