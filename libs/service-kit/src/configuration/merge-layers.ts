import { type SchemaNode, type Tree, childOf, isTree, partnerOf } from './schema-node.ts';

/** `upper` over `lower`, in place of `lower`: sections and maps are merged, lists and values replaced. */
export function mergeLayer(lower: Tree, upper: Tree, node: SchemaNode): void {
  for (const [key, value] of Object.entries(upper)) {
    const child = childOf(node, key);
    const below = lower[key];
    const partner = partnerOf(node, key);
    if (partner !== undefined && !Object.hasOwn(upper, partner)) delete lower[partner];
    if (child && isTree(value) && isTree(below)) mergeLayer(below, value, child);
    else Object.defineProperty(lower, key, { value, writable: true, enumerable: true, configurable: true });
  }
}

/** Fills what was not given, in place. */
export function fillDefaults(tree: Tree, node: SchemaNode): void {
  for (const [key, child] of Object.entries(node.properties ?? {})) {
    if (tree[key] === undefined && child.default !== undefined) tree[key] = structuredClone(child.default);
  }
  for (const key of Object.keys(tree)) {
    const child = childOf(node, key);
    const value = tree[key];
    if (child && isTree(value)) fillDefaults(value, child);
  }
}
