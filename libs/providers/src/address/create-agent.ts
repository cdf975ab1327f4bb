import { type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import type { AddressPolicy, AddressRule } from './address-policy.ts';
import { addressNotPermitted } from './address-policy.ts';
import { hostOf } from './host-pattern.ts';

/** Where a connection goes, and what it may reach on the way there. */
export interface Destination {
  readonly url: URL;
  readonly rule: AddressRule;
}

/**
 * Sockets to one destination. The address is judged in the very look-up whose answer the socket then connects to, so a
 * name cannot change its mind in between (DNS rebinding). HTTP/1.1 only: there a request is written to one socket once
 * and never moved to another. Redirects are not followed.
 */
export function createAgent(destination: Destination, policy: AddressPolicy, connectTimeoutMs: number): Agent {
  return new Agent({
    allowH2: false,
    pipelining: 1,
    connect: { timeout: connectTimeoutMs, lookup: judgedLookup(destination, policy) },
    // A call may take an hour: its own time limit ends it. Idle sockets go before a server drops them under a request.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 2_000,
  });
}

function judgedLookup({ url, rule }: Destination, policy: AddressPolicy): LookupFunction {
  const host = hostOf(url);
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0);
      const permitted = addresses.filter(({ address }) => policy.permits(address, host, rule));
      const [first] = permitted;
      if (!first) return callback(addressNotPermitted(host), '', 0);
      if (options.all) return callback(null, permitted);
      callback(null, first.address, first.family);
    });
  };
}
