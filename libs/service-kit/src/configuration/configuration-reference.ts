import { toKey, toVariable } from './configuration-key.ts';
import { type KeyPath, type SchemaNode, configurationRoot, describeAllowed, mapEntry } from './schema-node.ts';

/** The page `docs/reference/configuration.md`, from the schema itself. */
export function configurationReference(): string {
  return `${[introduction, ...sections(configurationRoot, [])].join('\n\n')}\n`;
}

const introduction = `# Configuration

One JSON file: the one that \`AGENTSTRATION_CONFIG\` names, else \`agentstration.json\` in the working directory when present. Environment variables override it, with \`__\` between levels. Everything is checked at start, and all faults are listed at once; an unknown key is a fault.

- A list is given whole as JSON (\`Agentstration__Nats__Servers='["nats://a:4222"]'\`) or entry by entry (\`Agentstration__Nats__Servers__0=nats://a:4222\`). A section or map can be given whole as JSON, too. Entries win over the whole.
- \`<name>\` stands for a key of your choice. Its case counts; the case of all other keys in variables does not.
- A key with a neighbour \`…File\` is a secret: give the value or the path of a file that holds it. The way that is given later (file, then environment) wins.
- Relative paths start at the working directory. \`AGENTSTRATION_DATA\` sets \`DataDirectory\`.
- The file is read strictly: no duplicate keys, no comments, no number that changes when read as a double. Other top-level keys than \`Agentstration\` are left alone.

This page is made from the schema; \`libs/service-kit\` has a test that compares them.`;

function sections(node: SchemaNode, path: KeyPath): string[] {
  const children = childrenOf(node);
  const leaves = children.filter(([, child]) => !isSection(child));
  const table =
    leaves.length === 0 ? [] : [[...tableHead(path, node), ...leaves.map(([key, child]) => row(node, [...path, key], child))].join('\n')];
  return [...table, ...children.filter(([, child]) => isSection(child)).flatMap(([key, child]) => sections(child, [...path, key]))];
}

function childrenOf(node: SchemaNode): [string, SchemaNode][] {
  const map = mapEntry(node);
  return map ? [['<name>', map.value]] : Object.entries(node.properties ?? {});
}

const isSection = (node: SchemaNode): boolean => node.properties !== undefined || node.patternProperties !== undefined;

function tableHead(path: KeyPath, node: SchemaNode): string[] {
  const about = node.description === undefined ? [] : [node.description, ''];
  return [`## \`${toKey(path)}\``, '', ...about, '| Key, variable | Meaning | Allowed | Default |', '|---|---|---|---|'];
}

function row(parent: SchemaNode, path: KeyPath, node: SchemaNode): string {
  const key = path.at(-1) ?? '';
  const required = (parent.required ?? []).includes(key);
  const fallback = node.default === undefined ? (required ? 'required' : 'none') : `\`${JSON.stringify(node.default)}\``;
  return `| \`${key}\`<br>\`${toVariable(path)}\` | ${cell(node.description ?? '')} | ${cell(describeAllowed(node))} | ${fallback} |`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
