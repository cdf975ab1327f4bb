// Compiles TypeScript to JavaScript, one file to one file: `node scripts/build.mjs [project folder …]` (default: all).
// swc only strips types and lowers decorators; types themselves are checked by `nx run-many -t typecheck`.
// Only what changed is written, each file at once: a host that runs from `dist/` is not disturbed by a build beside it.
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

/** The folder of the repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Builds the given project folders (relative to the repository) into their `dist/`. */
export async function build(projects) {
  const toolchain = Math.max(
    ...(await Promise.all(['.swcrc', 'scripts/build.mjs', 'package-lock.json'].map((file) => changedAt(join(root, file))))),
  );
  await Promise.all(projects.map((project) => buildProject(project, toolchain)));
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

async function buildProject(project, toolchain) {
  const source = join(root, project, 'src');
  const target = join(root, project, 'dist');
  const files = (await filesBelow(source)).filter((file) => !/\.(spec|d)\.ts$/.test(file));
  await Promise.all(files.map((file) => update(join(source, file), { to: join(target, outputOf(file)), toolchain })));
  await removeOthers(target, new Set(files.map(outputOf)));
}

const outputOf = (file) => file.replace(/\.ts$/, '.js');

async function filesBelow(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

async function update(from, { to, toolchain }) {
  const readAt = new Date(Date.now() - 20);
  const built = await changedAt(to);
  if (built > toolchain && built > (await changedAt(from))) return;
  await mkdir(dirname(to), { recursive: true });
  if (!from.endsWith('.ts')) return replace(to, { readAt, write: (unfinished) => copyFile(from, unfinished) });
  const { code, map } = await transformFile(from, { configFile: join(root, '.swcrc'), sourceFileName: relative(dirname(to), from) });
  if (map) await replace(`${to}.map`, { readAt, write: (unfinished) => writeFile(unfinished, map) });
  const linked = `${code}\n//# sourceMappingURL=${basename(to)}.map\n`;
  await replace(to, { readAt, write: (unfinished) => writeFile(unfinished, linked) });
}

/** Dated a little before its source was read, so that an edit of the source beside the build is never missed. */
async function replace(file, { readAt, write }) {
  const unfinished = `${file}.${randomUUID()}`;
  await write(unfinished);
  await utimes(unfinished, readAt, readAt);
  await rename(unfinished, file);
}

/** What has no source any more would still be imported. */
async function removeOthers(target, outputs) {
  const others = (await filesBelow(target)).filter((file) => !outputs.has(file.replace(/\.js\.map$/, '.js')));
  await Promise.all(others.map((file) => removeIfOld(join(target, file))));
}

/** Another build may be writing beside this one. */
async function removeIfOld(file) {
  if (Date.now() - (await changedAt(file)) > 10_000 || !/[0-9a-f-]{36}$/.test(file)) await rm(file, { force: true });
}

async function changedAt(file) {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  await build(asked.length > 0 ? asked : await allProjects());
}
