import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

// Linux tells through /proc, where slim images have no `ps`; macOS has no /proc.
const hasProc = process.platform === 'linux';

/** When a process started, in the host's own words; undefined when there is no such process. */
export async function startOf(pid: number): Promise<string | undefined> {
  if (!hasProc) return (await ps(pid, 'lstart=')) || undefined;
  // The 22nd field (proc(5)).
  return (await statFields(`/proc/${pid}/stat`))[19];
}

/** The command line of a process; empty when there is no such process. */
export async function commandLineOf(pid: number): Promise<string> {
  return hasProc ? readOrNothing(`/proc/${pid}/cmdline`) : ps(pid, 'command=');
}

/** Whether every thread of a process stands still after a SIGSTOP. */
export async function isSuspended(pid: number): Promise<boolean> {
  if (!hasProc) return (await ps(pid, 'state=')).startsWith('T');
  const threads = await readdir(`/proc/${pid}/task`);
  const states = await Promise.all(threads.map(async (thread) => (await statFields(`/proc/${pid}/task/${thread}/stat`))[0]));
  return states.every((state) => state === undefined || state === 'T');
}

/** From the third field on: the second is the command in parentheses, and may hold spaces and parentheses. */
async function statFields(file: string): Promise<string[]> {
  const text = await readOrNothing(file);
  return text ? text.slice(text.lastIndexOf(')') + 2).split(' ') : [];
}

async function readOrNothing(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => '');
}

async function ps(pid: number, field: string): Promise<string> {
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', field]).catch(() => ({ stdout: '' }));
  return stdout.trim();
}
