import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { ProviderFailure } from '../failures/provider-failure.ts';

/** What one piece of text from a server is. `unusable`: it answers a request, but cannot be taken as an answer. */
export type Reading =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  | { readonly kind: 'unusable'; readonly id: string | number }
  | { readonly kind: 'noise' };

/** Deeper results would exhaust the stack of whoever writes them as JSON again. */
const maximumDepth = 256;

/** Reads one message, or a batch of them (revision 2025-03-26). */
export function readMessages(text: string): readonly Reading[] {
  const value = parseJson(text);
  if (!Array.isArray(value)) return [readMessage(value, text)];
  return value.map((entry) => readMessage(entry, text));
}

function readMessage(value: unknown, text: string): Reading {
  const parsed = JSONRPCMessageSchema.safeParse(value);
  const id = answeredId(value);
  if (parsed.success && (id === undefined || !isDeeperThan(maximumDepth, text))) return { kind: 'message', message: parsed.data };
  return id === undefined ? { kind: 'noise' } : { kind: 'unusable', id };
}

/** The id of the request that a value answers, however badly. */
function answeredId(value: unknown): string | number | undefined {
  if (typeof value !== 'object' || value === null || 'method' in value || !('id' in value)) return undefined;
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Counts brackets outside of strings. */
function isDeeperThan(limit: number, text: string): boolean {
  if (text.length < 2 * limit) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (inString) {
      if (character === 0x5c) at += 1;
      else if (character === 0x22) inString = false;
    } else if (character === 0x22) inString = true;
    else if (character === 0x5b || character === 0x7b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (character === 0x5d || character === 0x7d) depth -= 1;
  }
  return false;
}

/**
 * An answer of our own making that ends one request with a failure of ours: the SDK hands `data` to whoever waits,
 * untouched.
 */
export const failedAnswer = (id: string | number, failure: ProviderFailure): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32_000, message: failure.code, data: failure },
});

export const unusableAnswer = (): ProviderFailure =>
  new ProviderFailure('provider_protocol_error', 'The server answered with something that is no JSON-RPC answer.');

export const tooLarge = (maximumBytes: number): ProviderFailure =>
  new ProviderFailure('provider_result_too_large', `The server answered with more than ${maximumBytes} bytes.`);
