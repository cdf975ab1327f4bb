import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { StrictJsonError, parseStrictJson } from '@agentstration/contracts';
import { checkRules } from './check-rules.ts';
import type { Configuration, PartialConfiguration } from './configuration.ts';
import { ConfigurationError, type ConfigurationFault } from './configuration-error.ts';
import { applyEnvironment } from './environment-overrides.ts';
import { fillDefaults, mergeLayer } from './merge-layers.ts';
import { type Tree, configurationRoot, isTree } from './schema-node.ts';
import { readSecretFiles, resolvePaths } from './secret-files.ts';
import { validateTree } from './validate-tree.ts';

export interface ConfigurationSources {
  /** Default: `process.env`. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Where `agentstration.json` and relative paths are looked up. Default: the working directory. */
  readonly directory?: string;
  /** Values that file and environment override: what a host knows by itself, such as the URL of its own database. */
  readonly defaults?: PartialConfiguration;
}

const defaultFile = 'agentstration.json';

/**
 * Reads, merges and checks the whole configuration: defaults, then one JSON file, then environment variables.
 *
 * @throws ConfigurationError listing every fault at once.
 */
export function loadConfiguration(sources: ConfigurationSources = {}): Configuration {
  const { environment, directory } = withDefaults(sources);
  const { tree, faults } = gather(sources);
  fillDefaults(tree, configurationRoot);
  resolvePaths(tree, configurationRoot, directory);
  faults.push(...readSecretFiles(tree, configurationRoot));
  faults.push(...validateTree(tree).filter(({ key }) => !faults.some((known) => known.key === `${key}File`)));
  faults.push(...checkRules(tree as unknown as Configuration, environment, faults));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return deepFreeze(tree) as unknown as Configuration;
}

/**
 * What defaults, file and environment give, without required keys and what the product adds: how a host learns what it
 * must bring itself. What is given is checked.
 *
 * @throws ConfigurationError listing every fault at once.
 */
export function readGivenConfiguration(sources: ConfigurationSources = {}): PartialConfiguration {
  const { tree, faults } = gather(sources);
  resolvePaths(tree, configurationRoot, withDefaults(sources).directory);
  faults.push(...validateTree(tree, { partial: true }));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return deepFreeze(tree);
}

const withDefaults = ({ environment = process.env, directory = process.cwd() }: ConfigurationSources) => ({ environment, directory });

function gather(sources: ConfigurationSources): { tree: Tree; faults: ConfigurationFault[] } {
  const { environment, directory } = withDefaults(sources);
  const tree = structuredClone(sources.defaults ?? {}) as Tree;
  const file = readFile(environment, directory);
  mergeLayer(tree, file.tree, configurationRoot);
  if (environment.AGENTSTRATION_DATA) tree.DataDirectory = environment.AGENTSTRATION_DATA;
  return { tree, faults: [...file.faults, ...applyEnvironment(tree, environment)] };
}

function readFile(environment: NodeJS.ProcessEnv, directory: string): { tree: Tree; faults: ConfigurationFault[] } {
  const named = environment.AGENTSTRATION_CONFIG;
  const path = resolve(directory, named || defaultFile);
  const refuse = (message: string) => ({
    tree: {},
    faults: [{ key: path, ...(named ? { variable: 'AGENTSTRATION_CONFIG' } : {}), message }],
  });
  if (!named && !existsSync(path)) return { tree: {}, faults: [] };
  try {
    const document = parseStrictJson(readFileSync(path));
    if (!isTree(document) || !isTree(document.Agentstration ?? {})) return refuse('must hold an object "Agentstration"');
    return { tree: (document.Agentstration ?? {}) as Tree, faults: [] };
  } catch (error) {
    if (error instanceof StrictJsonError) return refuse(`must be JSON: ${error.message}`);
    return refuse(`must be a file that can be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
