import { parseStrictJson } from '@agentstration/contracts';
import type { ConfigurationFault } from './configuration-error.ts';
import { faultAt, parseVariable, toKey } from './configuration-key.ts';
import { type KeyPath, type SchemaNode, type Tree, childOf, configurationRoot, describeAllowed, isTree, partnerOf } from './schema-node.ts';
import { describeUnknown } from './suggest-key.ts';

interface Override {
  readonly variable: string;
  readonly path: KeyPath;
  readonly node: SchemaNode;
  readonly value: unknown;
}

/**
 * Lays the `Agentstration__…` variables over `tree`, in place: a list or object may be given whole as JSON, or entry by
 * entry; entries win over the whole. Fixed keys match in any case, keys of maps keep theirs.
 */
export function applyEnvironment(tree: Tree, environment: NodeJS.ProcessEnv): ConfigurationFault[] {
  const faults: ConfigurationFault[] = [];
  const overrides: Override[] = [];
  for (const [variable, text] of Object.entries(environment)) {
    const path = parseVariable(variable);
    if (!path || text === undefined) continue;
    const found = readOverride(variable, path, text);
    if ('message' in found) faults.push(found);
    else overrides.push(found);
  }
  overrides.sort(
    (one, other) => one.path.length - other.path.length || one.variable.localeCompare(other.variable, 'en', { numeric: true }),
  );
  const given = new Map<string, string>();
  for (const override of overrides) faults.push(...claim(override, given), ...set(tree, override));
  return faults;
}

function readOverride(variable: string, segments: KeyPath, text: string): Override | ConfigurationFault {
  let node = configurationRoot;
  const path: string[] = [];
  for (const segment of segments) {
    const key = canonicalKey(node, segment);
    const child = childOf(node, key);
    if (!child) return { ...faultAt([...path, segment], explainMissing(node, path, segment)), variable };
    node = child;
    path.push(key);
  }
  const value = convert(node, text);
  if (value === undefined) return { ...faultAt(path, `must be ${describeAllowed(node)}${isNested(node) ? ' as JSON' : ''}`), variable };
  return { variable, path, node, value };
}

/** The schema's spelling of a fixed key; no two keys of one section differ in case alone. */
function canonicalKey(node: SchemaNode, segment: string): string {
  return Object.keys(node.properties ?? {}).find((key) => key.toLowerCase() === segment.toLowerCase()) ?? segment;
}

function explainMissing(node: SchemaNode, path: KeyPath, segment: string): string {
  if (node.properties) return describeUnknown([...path, segment]);
  if (node.type === 'array') return 'must end in the index of a list: 0, 1, 2, …';
  if (node.patternProperties) return `must name a key that matches ${Object.keys(node.patternProperties).join()}`;
  return `is not a known key: ${toKey(path)} is a single value`;
}

const isNested = (node: SchemaNode): boolean => node.type === 'array' || node.type === 'object';

/** The typed value of a variable's text; undefined when the text is no such value. Ranges are checked with the rest. */
function convert(node: SchemaNode, text: string): unknown {
  switch (node.type) {
    case 'boolean':
      return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined;
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
    case 'array':
    case 'object':
      return parseNested(node, text);
    default:
      return text;
  }
}

function parseNested(node: SchemaNode, text: string): unknown {
  try {
    const value = parseStrictJson(text);
    return (node.type === 'array' ? Array.isArray(value) : isTree(value)) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Two variables for one key, or for a secret and its file, leave open which one is meant. */
function claim({ variable, path }: Override, given: Map<string, string>): ConfigurationFault[] {
  const parent = path.slice(0, -1);
  const parentNode = parent.reduce<SchemaNode>((node, segment) => childOf(node, segment) ?? {}, configurationRoot);
  const partner = partnerOf(parentNode, path.at(-1) ?? '');
  const rival = given.get(toKey(path)) ?? (partner === undefined ? undefined : given.get(toKey([...parent, partner])));
  given.set(toKey(path), variable);
  return rival === undefined ? [] : [{ ...faultAt(path, `is given twice: as ${variable} and as ${rival}`), variable }];
}

/** Writes one value; where the file has something else than a section or list on the way, validation will say so. */
function set(tree: Tree, { variable, path, value }: Override): ConfigurationFault[] {
  let container: object = tree;
  let node = configurationRoot;
  for (const segment of path.slice(0, -1)) {
    const child = childOf(node, segment) ?? {};
    if (!Object.hasOwn(container, segment)) write(container, segment, child.type === 'array' ? [] : {});
    const next = (container as Tree)[segment];
    if (typeof next !== 'object' || next === null) return [];
    [container, node] = [next, child];
  }
  const key = path.at(-1) ?? '';
  if (Array.isArray(container) && Number(key) > container.length) {
    return [{ ...faultAt(path, `leaves a gap: the list has ${container.length} entries before it`), variable }];
  }
  const partner = partnerOf(node, key);
  if (partner !== undefined) delete (container as Tree)[partner];
  write(container, key, value);
  return [];
}

function write(container: object, key: string, value: unknown): void {
  (container as Tree)[key] = value;
}
