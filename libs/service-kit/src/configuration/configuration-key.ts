import type { ConfigurationFault } from './configuration-error.ts';
import type { KeyPath } from './schema-node.ts';

const root = 'Agentstration';

/** `Agentstration:Http:Port`. */
export const toKey = (path: KeyPath): string => [root, ...path].join(':');

/** `Agentstration__Http__Port`. */
export const toVariable = (path: KeyPath): string => [root, ...path].join('__');

/** A fault at a key, under both of its names. */
export const faultAt = (path: KeyPath, message: string): ConfigurationFault => ({ key: toKey(path), variable: toVariable(path), message });

/** The path below `Agentstration` of a variable name; undefined for a variable of somebody else. */
export function parseVariable(name: string): KeyPath | undefined {
  const [first = '', ...path] = name.split('__');
  return first.toLowerCase() === root.toLowerCase() && path.length > 0 ? path : undefined;
}
