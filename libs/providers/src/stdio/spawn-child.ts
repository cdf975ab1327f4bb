import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { StdioProfile } from '../options.ts';

/** A stdio server: the leader of its own process group. */
export interface StdioChild {
  readonly process: ChildProcess;
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/**
 * Becomes the server, after it has left a watcher in the same process group that waits for the end of file descriptor 3.
 * Only the executor holds its other end: when the executor closes it or dies in any way, SIGKILL included, the whole
 * group is killed, whatever the server does with its standard input and however many shells it is wrapped in.
 */
const supervised = '(trap "" HUP INT TERM; exec </dev/null >/dev/null 2>&1; read -r _ <&3; kill -KILL 0) & exec 3<&-; exec "$@"';

/** The only variables that a child inherits. Everything else would be the executor's secrets. */
const inherited = ['PATH', 'HOME', 'LANG'];

/** Starts the server of a profile. Its standard error is discarded: nobody can promise what stands in it. */
export function spawnChild(profile: StdioProfile): StdioChild {
  const child = spawn('/bin/sh', ['-c', supervised, 'stdio-server', profile.Command, ...(profile.Arguments ?? [])], {
    detached: true,
    cwd: profile.WorkingDirectory,
    env: { ...minimalEnvironment(), ...profile.Environment },
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  });
  if (!child.stdin || !child.stdout) throw new TypeError('A child without pipes.');
  // The watcher's pipe ends with the child; a reset on it is no news.
  child.stdio[3]?.on('error', () => undefined);
  return { process: child, stdin: child.stdin, stdout: child.stdout };
}

const minimalEnvironment = (): Record<string, string> =>
  Object.fromEntries(inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));

/** Signals the whole process group; false when nobody of it is left. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return false;
  }
}
