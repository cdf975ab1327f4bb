import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { ConfigurationFault } from './configuration-error.ts';
import { faultAt } from './configuration-key.ts';
import { type KeyPath, type SchemaNode, type Tree, fileKeyOf, isTree, mapEntry } from './schema-node.ts';

/** Puts the content of every `<key>File` into `<key>`, in place. */
export function readSecretFiles(tree: Tree, node: SchemaNode, path: KeyPath = []): ConfigurationFault[] {
  const own = Object.keys(node.properties ?? {}).flatMap((key) => readSecretFile(tree, { node, key, path }));
  return [...own, ...sectionsOf(tree, node).flatMap(([key, section, child]) => readSecretFiles(section, child, [...path, key]))];
}

function readSecretFile(tree: Tree, { node, key, path }: { node: SchemaNode; key: string; path: KeyPath }): ConfigurationFault[] {
  const fileKey = fileKeyOf(node, key);
  const file = fileKey === undefined ? undefined : tree[fileKey];
  if (fileKey === undefined || typeof file !== 'string') return [];
  const at = [...path, fileKey];
  if (tree[key] !== undefined) return [faultAt(at, `must not be given together with ${key}`)];
  try {
    const secret = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (secret === '') return [faultAt(at, `must name a file that is not empty, which ${file} is`)];
    tree[key] = secret;
    return [];
  } catch (error) {
    return [faultAt(at, `must name a file that can be read; reading ${file} failed (${(error as NodeJS.ErrnoException).code})`)];
  }
}

/** Makes every path absolute, in place: relative ones start at `directory`. */
export function resolvePaths(tree: Tree, node: SchemaNode, directory: string): void {
  for (const key of Object.keys(node.properties ?? {})) {
    const value = tree[key];
    const isPath = key.endsWith('File') || key.endsWith('Directory');
    if (isPath && typeof value === 'string' && value !== '' && !isAbsolute(value)) tree[key] = resolve(directory, value);
  }
  for (const [, section, child] of sectionsOf(tree, node)) resolvePaths(section, child, directory);
}

/** The sections and map entries that are present below a section. */
export function sectionsOf(tree: Tree, node: SchemaNode): [string, Tree, SchemaNode][] {
  const map = mapEntry(node);
  const children = map ? Object.keys(tree).map((key) => [key, map.value] as const) : Object.entries(node.properties ?? {});
  return children.flatMap(([key, child]) => {
    const value = tree[key];
    return isTree(value) ? [[key, value, child] as [string, Tree, SchemaNode]] : [];
  });
}
