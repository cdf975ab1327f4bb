import { configurationSchema } from './configuration.ts';

/** The part of JSON Schema that the configuration uses, as data to walk over. */
export interface SchemaNode {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

export type Tree = Record<string, unknown>;
export type KeyPath = readonly string[];

export const configurationRoot = configurationSchema as unknown as SchemaNode;

export const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The key pattern and the value schema of a map; undefined for everything else. */
export function mapEntry(node: SchemaNode): { pattern: string; value: SchemaNode } | undefined {
  const [entry] = Object.entries(node.patternProperties ?? {});
  return entry && { pattern: entry[0], value: entry[1] };
}

/** The schema below `node` for one key or index; undefined where the schema knows none. */
export function childOf(node: SchemaNode, segment: string): SchemaNode | undefined {
  if (node.properties) return Object.hasOwn(node.properties, segment) ? node.properties[segment] : undefined;
  if (node.type === 'array') return /^(?:0|[1-9]\d*)$/.test(segment) ? node.items : undefined;
  const map = mapEntry(node);
  return map && new RegExp(map.pattern).test(segment) ? map.value : undefined;
}

/** The schema at a path of exact keys. */
export const nodeAt = (path: KeyPath): SchemaNode | undefined =>
  path.reduce<SchemaNode | undefined>((node, segment) => node && childOf(node, segment), configurationRoot);

/** `<key>File` for a key that is a secret; a secret is a key with such a neighbour. */
export function fileKeyOf(node: SchemaNode, key: string): string | undefined {
  const fileKey = `${key}File`;
  return node.properties && Object.hasOwn(node.properties, key) && Object.hasOwn(node.properties, fileKey) ? fileKey : undefined;
}

/** The neighbour that says the same thing: `Password` <-> `PasswordFile`. */
export function partnerOf(node: SchemaNode, key: string): string | undefined {
  const plain = key.endsWith('File') ? key.slice(0, -'File'.length) : undefined;
  return plain !== undefined && fileKeyOf(node, plain) ? plain : fileKeyOf(node, key);
}

/** What is allowed there, in words that follow `must be`. */
export function describeAllowed(node: SchemaNode): string {
  if (node.title !== undefined) return node.title;
  if (node.enum) return `one of ${node.enum.join(', ')}`;
  switch (node.type) {
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `an integer from ${node.minimum} to ${node.maximum}`;
    case 'array':
      return `a list${sizeOf(node)}, each entry ${describeAllowed(node.items ?? {})}`;
    case 'object':
      return 'an object';
    default:
      return node.pattern === undefined ? 'text that is not empty' : `text that matches ${node.pattern}`;
  }
}

function sizeOf({ minItems, maxItems }: SchemaNode): string {
  if (maxItems !== undefined) return ` of ${minItems ?? 0} to ${maxItems} entries`;
  return minItems === undefined ? '' : ` of at least ${minItems}`;
}
