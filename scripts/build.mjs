// Compiles TypeScript to JavaScript, one file to one file: `node scripts/build.mjs [project folder …]` (default: all).
// swc only strips types and lowers decorators; types themselves are checked by `nx run-many -t typecheck`.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Builds the given project folders (relative to the repository) into their `dist/`. */
export async function build(projects) {
  await Promise.all(projects.map(buildProject));
}

/** Every project that has a `src/` to compile. The console is a browser application and is built by Vite. */
export async function allProjects() {
  const groups = await Promise.all(
    ['libs', 'apps'].map(async (group) => {
      const entries = await readdir(join(root, group), { withFileTypes: true });
      return entries.filter((entry) => entry.isDirectory()).map((entry) => `${group}/${entry.name}`);
    }),
  );
  return groups.flat().filter((project) => project !== 'apps/console');
}

async function buildProject(project) {
  const source = join(root, project, 'src');
  const target = join(root, project, 'dist');
  await rm(target, { recursive: true, force: true });
  const files = await readdir(source, { recursive: true });
  const compiled = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('.d.ts'));
  await Promise.all(compiled.map((file) => compile(join(source, file), join(target, file.replace(/\.ts$/, '.js')))));
}

async function compile(from, to) {
  const { code, map } = await transformFile(from, { configFile: join(root, '.swcrc'), sourceFileName: relative(dirname(to), from) });
  await mkdir(dirname(to), { recursive: true });
  await writeFile(to, `${code}\n//# sourceMappingURL=${basename(to)}.map\n`);
  if (map) await writeFile(`${to}.map`, map);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  await build(asked.length > 0 ? asked : await allProjects());
}
