import ipaddr from 'ipaddr.js';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { type HostPort, hostMatches, hostOf } from './host-pattern.ts';

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The part of IPv6 that is given out; beside it lie forms such as `::127.0.0.1` that some stacks still understand. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(globalUnicast));

/** What a connection may reach: `publicToo` is false where a secret would travel in clear text. */
export interface AddressRule {
  readonly publicToo: boolean;
  /** The operator's own configuration names this host: its addresses are not judged. */
  readonly trusted: boolean;
}

/**
 * Which addresses a provider may have. Public unicast addresses, and whatever `AllowedPrivateHosts` lets in; loopback,
 * link-local, private, carrier-grade NAT, multicast, unspecified, reserved, IPv4-mapped and NAT64 addresses are inside.
 */
export class AddressPolicy {
  readonly #ranges: Range[] = [];
  readonly #hosts: string[] = [];

  /** @throws TypeError naming an entry that is neither `host:port`, `*.suffix` nor CIDR */
  constructor(allowedPrivateHosts: readonly string[]) {
    for (const entry of allowedPrivateHosts) {
      if (ipaddr.isValidCIDR(entry)) this.#ranges.push(ipaddr.parseCIDR(entry));
      else if (/^\*\.[^:/\s*]+$|^(?:\[[0-9a-f:.]+\]|[^:/\s*]+):\d{1,5}$/i.test(entry)) this.#hosts.push(entry);
      else throw new TypeError(`AllowedPrivateHosts: "${entry}" is neither host:port, *.suffix nor a CIDR block`);
    }
  }

  /** Whether a connection to that host may use that address. */
  permits(address: string, host: HostPort, rule: AddressRule): boolean {
    if (!ipaddr.isValid(address)) return false;
    if (isPublic(ipaddr.parse(address))) return rule.publicToo;
    return rule.trusted || this.#allows(address, host);
  }

  #allows(address: string, host: HostPort): boolean {
    if (this.#hosts.some((entry) => hostMatches(entry, host))) return true;
    const plain = ipaddr.process(address);
    return this.#ranges.some(([network, bits]) => network.kind() === plain.kind() && plain.match(network, bits));
  }

  /**
   * Reads an endpoint. A host that is an address is judged here; a name is judged when the connection resolves it.
   * `URL` has already turned decimal, hexadecimal and octal hosts into plain addresses.
   *
   * @throws ProviderFailure `endpoint_invalid` or `address_not_permitted`
   */
  readEndpoint(text: string, rule: AddressRule): URL {
    const url = URL.parse(text);
    if (!url || !['http:', 'https:'].includes(url.protocol))
      throw new ProviderFailure('endpoint_invalid', 'The endpoint must be an absolute http or https URL.');
    if (url.username || url.password || url.hash)
      throw new ProviderFailure('endpoint_invalid', 'The endpoint must have neither user information nor a fragment.');
    const host = hostOf(url);
    if (ipaddr.isValid(host.host) && !this.permits(host.host, host, rule)) throw addressNotPermitted(host);
    return url;
  }
}

export const addressNotPermitted = ({ host, port }: HostPort): ProviderFailure =>
  new ProviderFailure(
    'address_not_permitted',
    `${host}:${port} has no address that may be reached: inside addresses need an entry in ToolProviders:AllowedPrivateHosts, and a secret needs https unless the address is inside.`,
  );
