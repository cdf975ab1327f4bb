import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const root = join(import.meta.dirname, '../..');
const rootFiles = ['package.json', 'package-lock.json', 'nx.json', 'eslint.config.mjs', 'tsconfig.base.json', '.swcrc'];
const own = '@agentstration';

export interface NxRun {
  readonly exitCode: number;
  /** Standard output and standard error, without colours. */
  readonly output: string;
}

/** A copy of the workspace's sources that may be spoiled: nothing in it leads back into the checkout's sources. */
export interface ScratchWorkspace {
  readonly directory: string;
  nx(...parameters: string[]): Promise<NxRun>;
  remove(): Promise<void>;
}

/** Copies the sources of every project, with third-party packages linked to the installed ones. */
export async function createScratchWorkspace(): Promise<ScratchWorkspace> {
  const directory = await mkdtemp(join(tmpdir(), 'agentstration-lint-'));
  await Promise.all(rootFiles.map((file) => cp(join(root, file), join(directory, file))));
  await Promise.all(
    ['libs', 'apps', 'test'].map((folder) => cp(join(root, folder), join(directory, folder), { recursive: true, filter: isSource })),
  );
  await linkPackages(directory);
  return {
    directory,
    nx: (...parameters) => runNx(directory, parameters),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Specs are left out: they would double the work and say nothing more about the rules. */
const isSource = (path: string): boolean =>
  !['dist', 'node_modules', '.nx', '.cache'].includes(basename(path)) && !/\.(?:spec|test)\.ts$/.test(path);

/** Links npm's installed packages one by one: the workspace's own ones must lead into the copy, not into the checkout. */
async function linkPackages(directory: string): Promise<void> {
  const installed = join(root, 'node_modules');
  await mkdir(join(directory, 'node_modules', own), { recursive: true });
  const packages = (await readdir(installed)).filter((name) => name !== own && name !== '.cache');
  await Promise.all(packages.map((name) => symlink(join(installed, name), join(directory, 'node_modules', name))));
  const groups = await Promise.all(
    ['libs', 'apps'].map(async (group) => (await readdir(join(directory, group))).map((name) => join(directory, group, name))),
  );
  const projects = [...groups.flat(), join(directory, 'test')];
  await Promise.all(projects.map((project) => symlink(project, join(directory, 'node_modules', own, basename(project)))));
}

/** Nx without its daemon, and with a cache and a project graph of this copy alone. */
function runNx(directory: string, parameters: readonly string[]): Promise<NxRun> {
  const environment = {
    PATH: [dirname(process.execPath), join(root, 'node_modules/.bin'), process.env.PATH].join(':'),
    HOME: directory,
    NX_DAEMON: 'false',
    NX_TUI: 'false',
    NX_ISOLATE_PLUGINS: 'false',
    NX_CACHE_DIRECTORY: join(directory, '.nx/cache'),
    NX_WORKSPACE_DATA_DIRECTORY: join(directory, '.nx/workspace-data'),
    NX_SKIP_NX_CACHE: 'true',
    NX_NO_CLOUD: 'true',
  };
  const command = [join(root, 'node_modules/.bin/nx'), ...parameters];
  return new Promise((resolve) => {
    const limits = { timeout: 120_000, maxBuffer: 16 * 1024 * 1024 };
    execFile(process.execPath, command, { cwd: directory, env: environment, ...limits }, (error, stdout, stderr) => {
      resolve({
        exitCode: error ? (typeof error.code === 'number' ? error.code : -1) : 0,
        output: stripVTControlCharacters(`${stdout}${stderr}`),
      });
    });
  });
}
