import { readFile } from 'node:fs/promises';
import { eventually } from '../eventually.ts';
import { commandLineOf } from './process-facts.ts';

interface Orphan {
  /** Its first line is the process id. */
  readonly pidFile: string;
  /** A path of ours in the command line: a process id alone may belong to somebody else by now. */
  readonly marker: string;
  readonly signal: NodeJS.Signals;
}

/** Ends a server that an earlier owner of the data directory, now gone, has left behind. Only call it with the directory locked. */
export async function stopOrphan({ pidFile, marker, signal }: Orphan): Promise<void> {
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  const isAlive = async () => Number.isInteger(pid) && pid > 1 && (await commandLineOf(pid)).includes(marker);
  const gone = async () => {
    if (await isAlive()) throw new Error(`Process ${pid} still uses ${marker}, and its owner is gone. End it, then start again.`);
  };
  for (const [name, within] of [
    [signal, 10_000],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!(await isAlive())) return;
    process.kill(pid, name);
    await eventually(gone, { within }).catch((error: unknown) => {
      if (name === 'SIGKILL') throw error;
    });
  }
}
