import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartRefused } from '../start-refused.ts';
import { startOf } from './process-facts.ts';

/** The directory belongs to a process that is alive. */
export class DirectoryInUseError extends StartRefused {
  override readonly name = 'DirectoryInUseError';
  readonly directory: string;
  readonly pid: number;

  constructor(directory: string, pid: number) {
    super(`The data directory ${directory} is in use by process ${pid}. Stop that process, or choose another data directory.`);
    this.directory = directory;
    this.pid = pid;
  }
}

/** Ends the claim. */
export type Unlock = () => Promise<void>;

/**
 * Claims a data directory for this process, creating it when missing: others may pass through (a database runs as its own
 * user) and list nothing. A claim of a process that is gone is void, also when its number was given to another process since.
 */
export async function lockDirectory(directory: string): Promise<Unlock> {
  await mkdir(directory, { recursive: true, mode: 0o711 });
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
