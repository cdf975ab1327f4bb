import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DirectoryInUseError, lockDirectory, type Unlock } from './lock-directory.ts';

const settlingMs = 60_000;

/** A directory that belongs to this process. Those of processes that were killed are removed on the way. */
export async function temporaryDirectory(base: string, name: string): Promise<{ path: string; remove: () => Promise<void> }> {
  const prefix = `agentstration-${name}-`;
  await removeAbandoned(base, prefix);
  const path = await mkdtemp(join(base, prefix));
  // The database's own user passes through, and sees nothing on the way.
  await chmod(path, 0o711);
  await lockDirectory(path);
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }) };
}

async function removeAbandoned(base: string, prefix: string): Promise<void> {
  const names = (await readdir(base)).filter((name) => name.startsWith(prefix));
  await Promise.all(names.map((name) => removeIfAbandoned(join(base, name)).catch(() => undefined)));
}

async function removeIfAbandoned(path: string): Promise<void> {
  const { uid, mtimeMs } = await stat(path);
  // Another user's, or one that its owner is still about to lock.
  if (uid !== process.getuid?.() || Date.now() - mtimeMs < settlingMs) return;
  let unlock: Unlock;
  try {
    unlock = await lockDirectory(path);
  } catch (error) {
    if (error instanceof DirectoryInUseError) return;
    throw error;
  }
  await rm(path, { recursive: true, force: true });
  await unlock();
}
