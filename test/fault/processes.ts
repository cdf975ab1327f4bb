import { readFile, readdir } from 'node:fs/promises';

interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Whether processes can be looked up here: only Linux tells about them in files. */
export const processesAreListed = process.platform === 'linux';

/**
 * Processes whose command line holds `marker`, and that have none of `owners` among their ancestors: nobody will end them.
 * Children in process groups of their own are found too.
 */
export async function orphans(marker: string, owners: readonly number[]): Promise<readonly string[]> {
  const all = await list();
  const parents = new Map(all.map(({ pid, parent }) => [pid, parent]));
  const isOwned = (pid: number): boolean => owners.includes(pid) || (parents.has(pid) && isOwned(parents.get(pid) as number));
  return all
    .filter(({ pid, command }) => command.includes(marker) && !isOwned(pid))
    .map(({ pid, command }) => `process ${pid}: ${command}`);
}

/** How many processes whose command line holds `marker` an owner has started itself. */
export async function childrenOf(owner: number, marker: string): Promise<number> {
  return (await list()).filter(({ parent, command }) => parent === owner && command.includes(marker)).length;
}

async function list(): Promise<readonly Listed[]> {
  if (!processesAreListed) return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = (pid: string, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const listed = pids.map(async (pid) => {
    const [status, command] = await Promise.all([read(pid, 'stat'), read(pid, 'cmdline')]);
    // proc(5): the second field, in parentheses, may hold spaces and parentheses; a zombie (`Z`) has no command line.
    const [, parent = '0'] = status.slice(status.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(pid), parent: Number(parent), command: command.replaceAll('\0', ' ') };
  });
  return Promise.all(listed);
}
