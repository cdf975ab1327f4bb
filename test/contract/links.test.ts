import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';

const root = join(import.meta.dirname, '../..');

/** The pages that people read: those at the top, and everything below docs/ and deploy/. */
async function listPages(): Promise<string[]> {
  const top = (await readdir(root)).filter((name) => name.endsWith('.md')).map((name) => join(root, name));
  const below = await Promise.all(
    ['docs', 'deploy', 'helm'].map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((name) => join(root, folder, name)),
    ),
  );
  return [...top, ...below.flat().filter((name) => name.endsWith('.md'))];
}

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (page: string): string[] => [...page.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

/** Links of a page that lead nowhere. Addresses of the web are left alone. */
async function brokenLinks(page: string): Promise<string[]> {
  const text = (await readFile(page, 'utf8')).replace(/```[\s\S]*?```|`[^`\n]*`/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target).filter((target) => !/^[a-z]+:/.test(target));
  const checked = targets.map(async (target) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), decodeURIComponent(path));
    if (!existsSync(file)) return [`${relative(root, page)}: ${target}`];
    const found = anchor === undefined || anchorsOf(await readFile(file, 'utf8')).includes(anchor);
    return found ? [] : [`${relative(root, page)}: ${target}`];
  });
  return (await Promise.all(checked)).flat();
}

describe('the documentation', () => {
  it(verifies('HOUSE-005', 'has no link into the repository that leads nowhere'), async () => {
    const pages = await listPages();
    expect(pages.length).toBeGreaterThan(15);
    expect((await Promise.all(pages.map(brokenLinks))).flat()).toEqual([]);
  });

  it(verifies('HOUSE-005', 'lists every decision, in order'), async () => {
    const folder = join(root, 'docs/adr');
    const files = (await readdir(folder)).filter((name) => /^\d{4}-/.test(name)).sort();
    const listed = [...(await readFile(join(folder, 'README.md'), 'utf8')).matchAll(/\]\((\d{4}-[^)]+)\)/g)].map(([, file]) => file);
    expect(listed).toEqual(files);
    for (const [index, file] of files.entries()) {
      const page = await readFile(join(folder, file), 'utf8');
      expect(page.startsWith(`# ${index + 1}. `)).toBe(true);
      for (const part of ['Status: ', '**Context.**', '**Decision.**', '**Consequences.**']) expect(page).toContain(part);
    }
  });
});
