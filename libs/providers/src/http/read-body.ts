import { createParser } from 'eventsource-parser';
import { readMessages, type Reading, tooLarge } from '../connection/read-message.ts';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { type HttpResponse, connectionLost } from './send-request.ts';

type Body = HttpResponse['body'];

/**
 * A whole body as text.
 *
 * @throws ProviderFailure `provider_result_too_large` as soon as it is, `provider_connection_lost` when it breaks off
 */
export async function readText(body: Body, maximumBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks(body)) {
    size += chunk.length;
    if (size > maximumBytes) throw tooLarge(maximumBytes);
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** What an event stream brought: messages, and what a client needs to resume it (revision 2025-11-25). */
export interface EventStreamHandler {
  onReading(reading: Reading): void;
  onEventId(id: string): void;
  onRetry(milliseconds: number): void;
}

/**
 * Reads a stream of server-sent events to its end; no single event may be larger than the limit.
 *
 * @throws ProviderFailure like {@link readText}
 */
export async function readEventStream(body: Body, maximumBytes: number, handler: EventStreamHandler): Promise<void> {
  let overflow = false;
  const parser = createParser({
    maxBufferSize: maximumBytes,
    onError: (error) => (overflow ||= error.type === 'max-buffer-size-exceeded'),
    onRetry: (milliseconds) => handler.onRetry(milliseconds),
    onEvent: (event) => {
      if (event.id) handler.onEventId(event.id);
      if (Buffer.byteLength(event.data) > maximumBytes) overflow = true;
      else if (event.data !== '' && (event.event ?? 'message') === 'message')
        readMessages(event.data).forEach((reading) => handler.onReading(reading));
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of chunks(body)) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (overflow) throw tooLarge(maximumBytes);
  }
}

/** The chunks of a body; its socket is closed when the reader stops early. */
async function* chunks(body: Body): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) yield chunk as Buffer;
  } catch (error) {
    throw error instanceof ProviderFailure ? error : connectionLost(error);
  }
}
