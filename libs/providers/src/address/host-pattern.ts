import { isIP } from 'node:net';

/** A host and port as they are compared: lower case, no final dot, IPv6 without brackets. */
export interface HostPort {
  readonly host: string;
  readonly port: string;
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** The host and port that a URL reaches. */
export const hostOf = (url: URL): HostPort => ({ host: normalizeHost(url.hostname), port: url.port || (defaultPorts[url.protocol] ?? '') });

/** `[::1]` -> `::1`, `LOCALHOST.` -> `localhost`. */
export const normalizeHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');

/** `host:port`, `[v6]:port`, or `host` with any port. */
const withPort = /^(?<host>\[[0-9a-f:.]+\]|[^:/\s*]+)(?::(?<port>\d{1,5}))?$/i;
const suffix = /^\*(?<suffix>\.[^:/\s*]+)$/;

/** Whether an entry (`host`, `host:port` or `*.suffix`) names the host. An entry of another form names none. */
export function hostMatches(entry: string, { host, port }: HostPort): boolean {
  const below = suffix.exec(entry)?.groups?.suffix;
  if (below !== undefined) return isIP(host) === 0 && host.endsWith(normalizeHost(below)) && host.length > normalizeHost(below).length;
  const named = withPort.exec(entry)?.groups;
  if (named?.host === undefined) return false;
  return normalizeHost(named.host) === host && (named.port === undefined || named.port === port);
}
