import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { lockDirectory } from '../process/lock-directory.ts';
import { temporaryDirectory } from '../process/temporary-directory.ts';
import { exists, placeOnce, stateDirectory } from '../state-directory.ts';
import { accountFor, succeedsAs, type Account } from './account.ts';
import { findBinaries, type Binaries } from './binaries.ts';
import { copyTemplate, createCluster, passwordIn } from './create-cluster.ts';

/** A cluster that is ours to start. */
export interface ClusterHome {
  readonly cluster: string;
  readonly account: Account;
  readonly binaries: Binaries;
  readonly password: string;
  /** False for a test's cluster: it need not survive a power cut and is removed at the end. */
  readonly durable: boolean;
  /** Gives the directory back. */
  release(): Promise<void>;
}

/** A cluster that is thrown away when it is released. */
export async function temporaryHome(): Promise<ClusterHome> {
  const account = await accountFor('');
  const binaries = await findBinaries(account);
  const directory = await temporaryDirectory(await firstReachable([tmpdir(), '/tmp', '/var/tmp'], account), 'postgres');
  const cluster = join(directory.path, 'cluster');
  const password = await fillTemporary(directory.path, { cluster, binaries, account });
  return { cluster, account, binaries, password, durable: false, release: directory.remove };
}

/** A user without a writable home has no place for a template, and waits for a fresh cluster instead. */
async function fillTemporary(directory: string, { cluster, binaries, account }: Pick<ClusterHome, 'cluster' | 'binaries' | 'account'>) {
  try {
    return await copyTemplate(cluster, { binaries, account });
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    const password = await passwordIn(directory);
    await createCluster(cluster, { binaries, account, password, durable: false });
    return password;
  }
}

/** The cluster of a data directory, created when missing. */
export async function persistentHome(dataDirectory: string): Promise<ClusterHome> {
  const directory = resolve(dataDirectory);
  const unlock = await lockDirectory(directory);
  try {
    const password = await passwordIn(directory);
    const { cluster, account, unlockCluster } = await locate(directory);
    const binaries = await findBinaries(account);
    await createCluster(cluster, { binaries, account, password, durable: true });
    const release = async () => {
      await unlockCluster();
      await unlock();
    };
    return { cluster, account, binaries, password, durable: true, release };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * Removes a database that was kept, and its files where they lie elsewhere. It must have been stopped. A copy of another data
 * directory does not take the files of the original with it.
 */
export async function removePostgres(dataDirectory: string): Promise<void> {
  const directory = resolve(dataDirectory);
  const cluster = await readFile(pointerIn(directory), 'utf8').catch(() => undefined);
  if (cluster !== undefined) {
    const home = dirname(cluster.trim());
    const owner = await readFile(ownerFileIn(home), 'utf8').catch(() => undefined);
    if (owner === directory) await rm(home, { recursive: true, force: true });
  }
  await rm(directory, { recursive: true, force: true });
}

async function firstReachable(folders: string[], account: Account): Promise<string> {
  for (const folder of folders) {
    if (await isReachable(folder, account)) return folder;
  }
  throw new Error(`The system user of PostgreSQL can enter none of ${folders.join(', ')}.`);
}

const isReachable = (folder: string, account: Account) => succeedsAs(account, 'cd -- "$1"', folder);

interface Located {
  readonly cluster: string;
  readonly account: Account;
  readonly unlockCluster: () => Promise<void>;
}

/** In the data directory: where the cluster is. */
const pointerIn = (directory: string): string => join(directory, 'cluster-location');
/** Beside a cluster: whose it is. */
const ownerFileIn = (home: string): string => join(home, 'data-directory');

/** The cluster lies in the data directory, or, when its user cannot get there, where a pointer file in it says. */
async function locate(directory: string): Promise<Located> {
  const inside = join(directory, 'cluster');
  const pointer = pointerIn(directory);
  const account = await accountFor(inside);
  if (!(await exists(pointer)) && (await isReachable(directory, account)))
    return { cluster: inside, account, unlockCluster: () => Promise.resolve() };
  await placeOnce(pointer, async (unfinished) => {
    const cluster = join(stateDirectory(), 'clusters', randomUUID(), 'cluster');
    await mkdir(dirname(cluster), { recursive: true, mode: 0o711 });
    // A cluster from the time when its folder could be entered moves; its copy is complete before the pointer names it.
    if (await exists(inside)) await promisify(execFile)('cp', ['-a', inside, cluster]);
    await writeFile(ownerFileIn(dirname(cluster)), directory);
    await writeFile(unfinished, cluster, { flush: true });
  });
  await rm(inside, { recursive: true, force: true });
  const cluster = (await readFile(pointer, 'utf8')).trim();
  // Two copies of one data directory point at the same cluster.
  const unlockCluster = await lockDirectory(dirname(cluster));
  return { cluster, account: await accountFor(cluster), unlockCluster };
}
