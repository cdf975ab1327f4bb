import { toKey } from './configuration-key.ts';
import { type KeyPath, type SchemaNode, configurationRoot, nodeAt } from './schema-node.ts';

/** What to say about a key that the schema does not know: the nearest known one, else all that are known there. */
export function describeUnknown(path: KeyPath): string {
  const parent = path.slice(0, -1);
  const siblings = Object.keys(nodeAt(parent)?.properties ?? {});
  const wanted = path.at(-1) ?? '';
  const nearest = nearestOf(wanted, siblings);
  if (nearest !== undefined) return `is not a known key; did you mean ${toKey([...parent, nearest])}?`;
  const elsewhere = keysNamed(wanted, configurationRoot, []);
  if (elsewhere.length > 0) return `is not a known key; did you mean ${elsewhere.map(toKey).join(' or ')}?`;
  return `is not a known key; known there: ${siblings.join(', ')}`;
}

/** The most similar name, if it is similar at all. */
function nearestOf(wanted: string, names: readonly string[]): string | undefined {
  const ranked = names.map((name) => ({ name, distance: editDistance(wanted.toLowerCase(), name.toLowerCase()) }));
  const [best] = ranked.sort((one, other) => one.distance - other.distance);
  return best && best.distance <= Math.max(2, Math.floor(wanted.length / 3)) ? best.name : undefined;
}

function keysNamed(wanted: string, node: SchemaNode, path: KeyPath): KeyPath[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const here = [...path, key];
    const own = key.toLowerCase() === wanted.toLowerCase() ? [here] : [];
    return [...own, ...keysNamed(wanted, child, here)];
  });
}

/** Levenshtein's distance: insertions, deletions and replacements between two texts. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, character] of [...one].entries()) {
    const next = [line + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (character === other[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
