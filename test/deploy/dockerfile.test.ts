import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import ts from 'typescript';
import { deploy, root, sourceOf } from './read-compose.ts';

interface Instruction {
  readonly keyword: string;
  readonly rest: string;
}

/** The instructions of the Dockerfile, continuation lines joined. */
async function readInstructions(): Promise<Instruction[]> {
  const text = (await readFile(join(deploy, 'Dockerfile'), 'utf8')).replace(/\\\n/g, ' ');
  const lines = text.split('\n').map((line) => line.trim());
  return lines.flatMap((line) => {
    const [, keyword, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    return keyword !== undefined && rest !== undefined ? [{ keyword, rest }] : [];
  });
}

describe('the image', () => {
  it(verifies('DEPLOY-009', 'copies only files that the checkout has and the build context lets in'), async () => {
    const copies = (await readInstructions()).filter(({ keyword, rest }) => keyword === 'COPY' && !rest.startsWith('--from='));
    const sources = copies.flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1));
    const allowed = (await readFile(join(deploy, 'Dockerfile.dockerignore'), 'utf8'))
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    expect(sources.filter((source) => !allowed.includes(source.replace('./', '')))).toEqual([]);
  });

  it(verifies('DEPLOY-009', 'copies between stages that stand above'), async () => {
    const stages = new Set<string>();
    for (const { keyword, rest } of await readInstructions()) {
      if (keyword === 'FROM') stages.add(/ AS (\S+)$/.exec(rest)?.[1] ?? 'last');
      const from = /^--from=(\S+)/.exec(rest)?.[1];
      if (from !== undefined) expect([...stages]).toContain(from);
    }
  });

  it(verifies(['DEPLOY-002', 'DEPLOY-009'], 'starts a script that exists, as a user that is a number and not root'), async () => {
    const instructions = await readInstructions();
    const last = (wanted: string): string => instructions.findLast(({ keyword }) => keyword === wanted)?.rest ?? '';
    expect(last('USER')).toBe('1000:1000');
    const [node, script = ''] = JSON.parse(last('CMD')) as string[];
    expect(node).toBe('node');
    expect(existsSync(sourceOf(script))).toBe(true);
  });

  it(verifies('DEPLOY-009', 'has every package that the services import: development tools are left out'), async () => {
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { dependencies: Record<string, string> };
    const imported = await importedPackages(['apps/management-api', 'apps/tool-executor', 'apps/governance-projector']);
    expect(imported.size).toBeGreaterThan(10);
    expect([...imported].filter((name) => !(name in dependencies))).toEqual([]);
  });
});

const own = '@agentstration/';

/** The third-party packages that projects import when they run, directly or through projects of this repository. */
async function importedPackages(projects: readonly string[]): Promise<Set<string>> {
  const packages = new Set<string>();
  const seen = new Set(projects);
  for (const project of seen) {
    const sources = (await readdir(join(root, project, 'src'), { recursive: true })).filter(
      (file) => file.endsWith('.ts') && !/\.spec\.ts$|contract-suite|^fake\//.test(file),
    );
    for (const file of sources) {
      const { importedFiles } = ts.preProcessFile(await readFile(join(root, project, 'src', file), 'utf8'));
      for (const { fileName } of importedFiles.filter((found) => !found.fileName.startsWith('.'))) {
        const name = fileName
          .split('/')
          .slice(0, fileName.startsWith('@') ? 2 : 1)
          .join('/');
        if (name.startsWith(own)) seen.add(`libs/${name.slice(own.length)}`);
        else if (!name.startsWith('node:') && !builtinModules.includes(name)) packages.add(name);
      }
    }
  }
  return packages;
}
