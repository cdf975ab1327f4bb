import { randomUUID } from 'node:crypto';
import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The directory belongs to a process that is alive. */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError';

  constructor(
    readonly directory: string,
    readonly pid: number,
  ) {
    super(`The data directory ${directory} is in use by process ${pid}. Stop that process, or choose another data directory.`);
  }
}

/** Ends the claim. */
export type Unlock = () => Promise<void>;

/**
 * Claims a data directory for this process, creating it (0700) when missing. A claim of a process that is gone is void,
 * also when its number was given to another process since.
 */
export async function lockDirectory(directory: string): Promise<Unlock> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'lock');
  const claim = JSON.stringify({ pid: process.pid, started: await startOf(process.pid), id: randomUUID() });
  for (let tries = 0; tries < 10; tries += 1) {
    try {
      await writeFile(file, claim, { flag: 'wx', mode: 0o644 });
      return () => release(file, claim);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    await removeVoid(file, directory);
  }
  throw new Error(`The data directory ${directory} could not be locked: other processes keep claiming ${file}.`);
}

async function release(file: string, claim: string): Promise<void> {
  if ((await readOrNothing(file)) === claim) await rm(file, { force: true });
}

/** Takes the file aside before it is judged void for good: two processes may find the same void claim at the same time. */
async function removeVoid(file: string, directory: string): Promise<void> {
  const seen = await readOrNothing(file);
  const owner = parseClaim(seen);
  if (owner && (await startOf(owner.pid)) === owner.started) throw new DirectoryInUseError(directory, owner.pid);
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  if ((await readOrNothing(aside)) === seen) return rm(aside, { force: true });
  await rename(aside, file);
}

async function readOrNothing(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}

function parseClaim(text: string | undefined): { pid: number; started: string } | undefined {
  try {
    const { pid, started } = JSON.parse(text ?? '') as Record<string, unknown>;
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

/** When the process started, in the host's own words; undefined when there is no such process. */
async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const stat = await readOrNothing(`/proc/${pid}/stat`);
    // The second field is the command in parentheses and may hold spaces; the start time is the 22nd field (proc(5)).
    return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  }
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'lstart=']).catch(() => ({ stdout: '' }));
  return stdout.trim() || undefined;
}
