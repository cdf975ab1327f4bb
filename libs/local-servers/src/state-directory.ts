import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * Where this machine keeps what is not part of one checkout (copies of server binaries, templates): reachable by the
 * database's own user, and writable by nobody but the one who starts the servers.
 */
export function stateDirectory(): string {
  if (process.getuid?.() === 0) return '/var/lib/agentstration';
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'agentstration');
}

/** Makes `target` exactly once: `make` fills a folder beside it, which is then renamed into place. A racing process may win. */
export async function placeOnce(target: string, make: (unfinished: string) => Promise<void>): Promise<void> {
  if (await exists(target)) return;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  const unfinished = `${target}.${randomUUID()}`;
  try {
    await make(unfinished);
    await rename(unfinished, target);
  } catch (error) {
    if (!(await exists(target))) throw error;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Whether a file or folder is there. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
