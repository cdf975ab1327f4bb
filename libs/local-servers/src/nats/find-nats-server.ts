import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { StartRefused } from '../start-refused.ts';
import { exists, placeOnce, stateDirectory } from '../state-directory.ts';

const run = promisify(execFile);

/** Names an existing server. */
export const natsServerSetting = 'AGENTSTRATION_NATS_SERVER';

/** Debian and Homebrew install to folders that are not on everybody's PATH. */
const usualFolders = ['/usr/local/bin', '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];

const advice = [
  'No nats-server was found, and it could not be installed. Install NATS server 2.9.10 or newer:',
  '  Debian, Ubuntu:  sudo apt-get install nats-server',
  '  macOS:           brew install nats-server',
  '  others:          https://nats.io/download/',
  `or name an existing one: ${natsServerSetting}=/path/to/nats-server`,
].join('\n');

interface FindOptions {
  readonly environment?: NodeJS.ProcessEnv;
  /** Where to look beyond PATH. */
  readonly folders?: readonly string[];
  /** Told before something is downloaded: that takes a while. */
  readonly onInstall?: (what: string) => void;
}

/**
 * The path of a `nats-server`: the named one, else one on PATH, else the package of the host's distribution. The package is
 * unpacked into a folder of ours and not installed, because its installation would start a server on port 4222.
 */
export async function findNatsServer({
  environment = process.env,
  folders: more = usualFolders,
  onInstall,
}: FindOptions = {}): Promise<string> {
  const named = environment[natsServerSetting];
  if (named) {
    if (await isExecutable(named)) return named;
    throw new StartRefused(`${natsServerSetting} names ${named}, which is not an executable file.`);
  }
  const folders = [...(environment['PATH'] ?? '').split(delimiter).filter(Boolean), ...more];
  const unpacked = join(stateDirectory(), 'nats-server');
  for (const folder of [...folders, join(unpacked, 'usr/sbin'), join(unpacked, 'usr/bin')]) {
    const candidate = join(folder, 'nats-server');
    if (await isExecutable(candidate)) return candidate;
  }
  return (await unpackDebianPackage(folders, { unpacked, onInstall })) ?? fail();
}

function fail(): never {
  throw new StartRefused(advice);
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

interface Unpacking {
  readonly unpacked: string;
  readonly onInstall: ((what: string) => void) | undefined;
}

async function unpackDebianPackage(folders: string[], { unpacked, onInstall }: Unpacking): Promise<string | undefined> {
  const tools = await Promise.all(['apt-get', 'dpkg-deb'].map((tool) => isOnPath(tool, folders)));
  if (!tools.every(Boolean)) return undefined;
  onInstall?.('nats-server (package of this distribution)');
  const downloads = await mkdtemp(join(tmpdir(), 'agentstration-download-'));
  try {
    await download(downloads);
    const [file] = (await readdir(downloads)).filter((name) => name.endsWith('.deb'));
    if (!file) return undefined;
    await placeOnce(unpacked, async (unfinished) => void (await run('dpkg-deb', ['--extract', join(downloads, file), unfinished])));
  } catch (cause) {
    throw new StartRefused(advice, { cause });
  } finally {
    await rm(downloads, { recursive: true, force: true });
  }
  const places = ['usr/sbin/nats-server', 'usr/bin/nats-server'].map((path) => join(unpacked, path));
  const found = await Promise.all(places.map(exists));
  return places[found.indexOf(true)];
}

async function isOnPath(tool: string, folders: string[]): Promise<boolean> {
  return (await Promise.all(folders.map((folder) => isExecutable(join(folder, tool))))).includes(true);
}

/** A fresh container has no package lists, and old lists name files that are gone: then the lists are fetched first. */
async function download(directory: string): Promise<void> {
  const get = () => run('apt-get', ['download', 'nats-server'], { cwd: directory, env: { ...process.env, LC_ALL: 'C' } });
  try {
    await get();
  } catch {
    await run('apt-get', ['update']);
    await get();
  }
}
