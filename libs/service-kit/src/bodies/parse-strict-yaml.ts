import { parseStrictJson } from '@agentstration/contracts';
import { type Document, LineCounter, type Node, type ParsedNode, isCollection, isMap, isScalar, parseDocument, visit } from 'yaml';
import { checkYamlTokens } from './check-yaml-tokens.ts';
import { MalformedYaml } from './malformed-yaml.ts';

const maximumDepth = 64;
const maximumAliasExpansions = 20;

/**
 * Reads one YAML 1.2 document of the core schema as if it were strict JSON: unique keys that are text, no tags or
 * directives, few aliases, 64 levels, numbers written as in JSON that do not change when read as a double.
 *
 * @throws MalformedYaml naming the line.
 */
export function parseStrictYaml(bytes: Uint8Array): unknown {
  const text = decode(bytes);
  checkYamlTokens(text);
  const lines = new LineCounter();
  const document = parseLoosely(text, lines);
  const [fault] = [...document.errors, ...document.warnings];
  if (fault) throw new MalformedYaml(fault.code === 'MULTIPLE_DOCS' ? 'More than one document' : 'Not YAML', placeOf(lines, fault.pos[0]));
  checkNodes(document, lines);
  return expand(document);
}

function parseLoosely(text: string, lineCounter: LineCounter): Document.Parsed {
  try {
    // The parser's own check of unique keys takes quadratic time.
    return parseDocument(text, { schema: 'core', stringKeys: true, uniqueKeys: false, prettyErrors: false, lineCounter });
  } catch {
    throw new MalformedYaml('Not YAML');
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new MalformedYaml('Not UTF-8');
  }
}

function placeOf(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function checkNodes(document: Document.Parsed, lines: LineCounter): void {
  const refuse = (reason: string, node: Node): never => {
    throw new MalformedYaml(reason, placeOf(lines, node.range?.[0] ?? 0));
  };
  visit(document, {
    Node(_key, node, path) {
      const found = faultOf(node as ParsedNode, path.length);
      if (found !== undefined) refuse(found, node);
    },
  });
}

function faultOf(node: ParsedNode, depth: number): string | undefined {
  // A pair stands between a map and its value, so a path is at most twice as long as the nesting.
  if (isCollection(node) && depth > 2 * maximumDepth) return `Nesting deeper than ${maximumDepth}`;
  if (isMap(node)) return duplicateKey(node.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')));
  if (!isScalar(node)) return undefined;
  if (typeof node.value === 'string' && !node.value.isWellFormed()) return 'Text with a lone surrogate';
  return typeof node.value === 'number' && !isJsonNumber(node.source)
    ? 'A number that JSON cannot say exactly (quote it if it is text)'
    : undefined;
}

const duplicateKey = (keys: readonly string[]): string | undefined =>
  new Set(keys).size < keys.length ? 'A duplicate key in the map' : undefined;

function isJsonNumber(source: string): boolean {
  try {
    return typeof parseStrictJson(source) === 'number';
  } catch {
    return false;
  }
}

/** The plain value. Aliases are what can still make it deep, endless or large. */
function expand(document: Document.Parsed): unknown {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: maximumAliasExpansions });
  } catch {
    throw new MalformedYaml('Aliases that expand too often, or to nothing');
  }
  checkDepth(value, []);
  return value;
}

function checkDepth(value: unknown, ancestors: readonly unknown[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (ancestors.includes(value)) throw new MalformedYaml('An alias inside of what it names');
  if (ancestors.length >= maximumDepth) throw new MalformedYaml(`Nesting deeper than ${maximumDepth}`);
  for (const child of Object.values(value)) checkDepth(child, [...ancestors, value]);
}
