import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import type { Requirement } from '../requirements.ts';

/** One `verifies('ID', …)` in the sources: `file` is relative to the repository. */
export interface Citation {
  readonly id: string;
  readonly file: string;
}

export interface FoundCitations {
  readonly citations: readonly Citation[];
  /** Calls whose ids are not written out as string literals, as `file:line`. */
  readonly unreadable: readonly string[];
}

const folders = ['libs', 'apps', 'test'];
const skipped = /(?:^|\/)(?:node_modules|dist)(?:\/|$)/;

/** Every citation in the TypeScript sources below `root`. */
export async function findCitations(root: string): Promise<FoundCitations> {
  const listed = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder), { recursive: true })).map((file) => join(folder, file))),
  );
  const files = listed.flat().filter((file) => /\.tsx?$/.test(file) && !skipped.test(file));
  const found = await Promise.all(files.map(async (file) => readCitations(file, await readFile(join(root, file), 'utf8'))));
  return { citations: found.flatMap((one) => one.citations), unreadable: found.flatMap((one) => one.unreadable) };
}

/** The citations of one source text. Syntax is read, not text: a citation in a comment or a string is none. */
export function readCitations(file: string, text: string): FoundCitations {
  const citations: Citation[] = [];
  const unreadable: string[] = [];
  if (!text.includes('verifies(')) return { citations, unreadable };
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'verifies') {
      const ids = literalIds(node.arguments[0]);
      citations.push(...(ids ?? []).map((id) => ({ id, file })));
      if (!ids) unreadable.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { citations, unreadable };
}

function literalIds(argument: ts.Expression | undefined): string[] | undefined {
  if (!argument) return undefined;
  const elements = ts.isArrayLiteralExpression(argument) ? argument.elements : [argument];
  const ids = elements.flatMap((element) => (ts.isStringLiteralLike(element) ? [element.text] : []));
  return ids.length === elements.length && ids.length > 0 ? ids : undefined;
}

/** What is wrong between requirements and citations, one sentence each; empty when every promise is kept. */
export function auditCoverage(requirements: Readonly<Record<string, Requirement>>, { citations, unreadable }: FoundCitations): string[] {
  const cited = new Set(citations.map(({ id }) => id));
  const untested = Object.entries(requirements)
    .filter(([id, { deferred }]) => deferred === undefined && !cited.has(id))
    .map(([id, { text }]) => `${id} has no test and is not deferred: ${text}`);
  const wrong = citations.flatMap(({ id, file }) => {
    const requirement = Object.hasOwn(requirements, id) ? requirements[id] : undefined;
    if (!requirement) return [`${file} cites ${id}, which is no requirement`];
    return requirement.deferred === undefined ? [] : [`${file} cites ${id}, which is marked deferred: remove the mark`];
  });
  return [...untested, ...wrong, ...unreadable.map((place) => `${place} cites requirements other than by string literals`)];
}
