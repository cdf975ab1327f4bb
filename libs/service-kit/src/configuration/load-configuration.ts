import type { Configuration, PartialConfiguration } from './configuration.ts';

export interface ConfigurationSources {
  /** Default: `process.env`. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Where `agentstration.json` and relative paths are looked up. Default: the working directory. */
  readonly directory?: string;
  /** Values that file and environment override: what a host knows by itself, such as the URL of its own database. */
  readonly defaults?: PartialConfiguration;
}

/** Reads, merges and checks the whole configuration. Throws {@link ConfigurationError} that lists every fault at once. */
export function loadConfiguration(_sources: ConfigurationSources = {}): Configuration {
  throw new Error('being written');
}

/** What file and environment give, before defaults and without required keys: how a host learns what it must bring itself. */
export function readGivenConfiguration(_sources: ConfigurationSources = {}): PartialConfiguration {
  throw new Error('being written');
}
