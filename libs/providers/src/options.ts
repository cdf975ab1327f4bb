/** A stdio server that the host allows: the only place where a command can be named. Keys as in the configuration. */
export interface StdioProfile {
  readonly Command: string;
  readonly Arguments?: readonly string[];
  /** Added to the minimal environment of the child (PATH, HOME, LANG); nothing else is inherited. */
  readonly Environment?: Readonly<Record<string, string>>;
  readonly WorkingDirectory?: string;
  /** Who may use it: see {@link isListed}. */
  readonly Workspaces: readonly string[];
}

/** A header value that providers may refer to by name. */
export interface ProviderSecret {
  /** Read again for every use, so that a rotated secret needs no restart. A trailing line break is not part of it. */
  readonly ValueFile: string;
  readonly Workspaces: readonly string[];
  /** `host`, `host:port` or `*.suffix`: where it may be sent. */
  readonly Hosts: readonly string[];
}

/** An AEP extension. */
export interface ExtensionSettings {
  readonly Endpoint: string;
  readonly Workspaces: readonly string[];
}

/** What a pino logger offers. No line ever holds an argument, a result, a secret or a text of a provider. */
export interface ProviderLogger {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** For counters: kinds and codes only, no identities. */
export type ProviderEvent =
  | { readonly type: 'call_ended'; readonly outcome: string; readonly code: string; readonly durationMs: number }
  | { readonly type: 'discovery_ended'; readonly code: string; readonly durationMs: number }
  | { readonly type: 'connection_opened' | 'connection_failed' | 'connection_closed'; readonly transport: 'stdio' | 'streamableHttp' }
  /** Lines on a stdio server's standard output that are no messages, and answers that nobody waits for. */
  | { readonly type: 'message_ignored'; readonly transport: 'stdio' | 'streamableHttp' };

export interface ToolProvidersOptions {
  readonly stdio?: Readonly<Record<string, StdioProfile>>;
  readonly secrets?: Readonly<Record<string, ProviderSecret>>;
  readonly extensions?: Readonly<Record<string, ExtensionSettings>>;
  /** `host:port`, `*.suffix` or CIDR: the private addresses that providers may have. */
  readonly allowedPrivateHosts?: readonly string[];
  /** The largest message of a provider, in bytes. Default 10 MiB. */
  readonly maximumResultBytes?: number;
  /** The largest tool list of one provider, in bytes of JSON. Default 768 KiB, which fits a message of a default broker. */
  readonly maximumDiscoveryBytes?: number;
  /** Connect and initialize. Default 15 s. */
  readonly connectTimeoutMs?: number;
  /** One whole discovery. Default 30 s. */
  readonly discoveryTimeoutMs?: number;
  /** A connection that nobody used for so long is closed. Default 5 min. */
  readonly idleTimeoutMs?: number;
  /** One Workspace's share of connections (and so of stdio children). Default 32. */
  readonly maximumConnectionsPerWorkspace?: number;
  /** Monotonic milliseconds: the clock that permits were made with. Default `performance.now`. */
  readonly now?: () => number;
  readonly logger?: ProviderLogger;
  readonly onEvent?: (event: ProviderEvent) => void;
}

const mebibyte = 1024 * 1024;

export const defaults = {
  stdio: {},
  secrets: {},
  extensions: {},
  allowedPrivateHosts: [],
  maximumResultBytes: 10 * mebibyte,
  maximumDiscoveryBytes: 768 * 1024,
  connectTimeoutMs: 15_000,
  discoveryTimeoutMs: 30_000,
  idleTimeoutMs: 5 * 60_000,
  maximumConnectionsPerWorkspace: 32,
  now: () => performance.now(),
  logger: { info: () => undefined, warn: () => undefined },
  onEvent: () => undefined,
} satisfies Required<ToolProvidersOptions>;

export type Settings = Required<ToolProvidersOptions>;

/** The options with every default filled in; an option given as undefined counts as absent. */
export function withDefaults(options: ToolProvidersOptions): Settings {
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return { ...defaults, ...given };
}
