import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, isJSONRPCNotification } from '@modelcontextprotocol/sdk/types.js';
import type { Departure } from './departure.ts';

/** An MCP transport that tells exactly when a request leaves. */
export interface DepartingTransport extends Transport {
  readonly kind: 'stdio' | 'streamableHttp';
  /** The next request that is sent takes this departure; undefined takes it back. */
  departNext(departure: Departure | undefined): void;
  /** The server answered, but this connection should serve no further request. */
  onstale?: (() => void) | undefined;
  /** Something arrived that nobody can use. */
  onignored?: (() => void) | undefined;
}

/** The request that a `notifications/cancelled` names; undefined for any other message. */
export function cancelledRequest(message: JSONRPCMessage): string | number | undefined {
  if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return undefined;
  const requestId = message.params?.requestId;
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
}
