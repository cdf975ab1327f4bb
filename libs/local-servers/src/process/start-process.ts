import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { eventually } from '../eventually.ts';
import { isSuspended } from './process-facts.ts';
import { Tail } from './tail.ts';

/** How a process ended: exactly one of both is set. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ProcessOptions {
  readonly command: string;
  readonly arguments?: readonly string[];
  /** The whole environment of the process; default: that of this process. */
  readonly environment?: NodeJS.ProcessEnv;
  readonly directory?: string;
  /** The process counts as started when a line of its output matches; default: at once. */
  readonly ready?: RegExp;
  /** Milliseconds until the ready line must have come. */
  readonly readyWithin?: number;
  /** What the process gets when this one dies without stopping it; followed by SIGKILL after five seconds. */
  readonly orphanSignal?: 'KILL' | 'TERM' | 'INT';
  /** Runs as another user; only root can ask for it. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly onLine?: (line: string) => void;
}

export interface RunningProcess {
  readonly pid: number;
  /** The line that matched `ready`; empty when none was asked for. */
  readonly readyLine: string;
  readonly exited: Promise<Exit>;
  /** The end of standard output and standard error, as they came. */
  output(): string;
  /** Sends a signal and goes on. */
  signal(name: NodeJS.Signals): void;
  /** Sends SIGSTOP and waits until the process stands still. SIGCONT lets it go on. */
  suspend(): Promise<void>;
  /** Sends a signal (default SIGKILL) and waits for the end. */
  kill(name?: NodeJS.Signals): Promise<Exit>;
  /** SIGTERM, then SIGKILL when the process is not gone within the given milliseconds. */
  stop(options?: { within?: number; signal?: NodeJS.Signals }): Promise<Exit>;
}

/**
 * The process becomes leader of its own group (a terminal's Ctrl-C does not reach it: whoever started it drains first),
 * and a subshell of that group waits for the pipe on descriptor 3 to close. The kernel closes it whenever the starting
 * process ends, by SIGKILL too. Works alike on Linux and macOS, where no parent-death signal exists.
 */
const leash = `
{
  trap "" INT TERM
  read -r _ || {
    kill -s "$1" -- "-$$"
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$$" && sleep 0.5; done
    kill -s KILL -- "-$$"
  }
} <&3 >/dev/null 2>&1 &
shift
exec "$@" 3<&-`;

/** Starts a process that cannot outlive this one, waits for its ready line, and keeps the end of its output. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const child = spawn('/bin/sh', ['-c', leash, 'leash', options.orphanSignal ?? 'KILL', options.command, ...(options.arguments ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
    cwd: options.directory,
    env: options.environment ?? process.env,
    ...options.user,
  });
  const output = new Tail();
  const exited = exitOf(child);
  const lines = [child.stdout, child.stderr].map((stream) => createInterface({ input: stream as Readable }));
  const ready = new Promise<string>((resolve) => {
    if (!options.ready) resolve('');
    for (const line of lines) {
      line.on('line', (text) => {
        output.append(`${text}\n`);
        options.onLine?.(text);
        if (options.ready?.test(text)) resolve(text);
      });
    }
  });
  const readyLine = await orFailure(ready, { child, exited, output, options });
  return running(child, { readyLine, exited, output });
}

const pipesCloseWithinMs = 1000;

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      signalGroup(child, 'SIGKILL');
      // What was written before the end may still be on its way through the pipes; somebody else may hold them open for ever.
      const settle = () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve({ code, signal });
      };
      if (child.stdout?.closed && child.stderr?.closed) return settle();
      const patience = setTimeout(settle, pipesCloseWithinMs);
      child.once('close', () => {
        clearTimeout(patience);
        settle();
      });
    });
  });
}

interface Starting {
  readonly child: ChildProcess;
  readonly exited: Promise<Exit>;
  readonly output: Tail;
  readonly options: ProcessOptions;
}

async function orFailure(ready: Promise<string>, { child, exited, output, options }: Starting): Promise<string> {
  const within = options.readyWithin ?? 30_000;
  let timer: NodeJS.Timeout | undefined;
  const failure = (what: string) => new Error(`${options.command} ${what}. Its last output:\n${output.lastLines()}`);
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failure(`was not ready within ${within} ms`)), within);
  });
  const ended = exited.then(({ code, signal }) => {
    throw failure(`ended ${signal ? `by ${signal}` : `with exit code ${code}`} before it was ready`);
  });
  try {
    return await Promise.race([ready, ended, timeout]);
  } catch (error) {
    signalGroup(child, 'SIGKILL');
    await exited.catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
    ended.catch(() => undefined);
  }
}

function running(
  child: ChildProcess,
  { readyLine, exited, output }: { readyLine: string; exited: Promise<Exit>; output: Tail },
): RunningProcess {
  const alive = () => child.exitCode === null && child.signalCode === null;
  const signal = (name: NodeJS.Signals) => void (alive() && child.kill(name));
  return {
    pid: child.pid as number,
    readyLine,
    exited,
    output: () => output.toString(),
    signal,
    suspend: async () => {
      signal('SIGSTOP');
      await eventually(() => assertSuspended(child.pid as number));
    },
    kill: (name = 'SIGKILL') => {
      signal(name);
      return exited;
    },
    stop: async ({ within = 10_000, signal: first = 'SIGTERM' } = {}) => {
      // A suspended process would never see the first signal.
      signal('SIGCONT');
      signal(first);
      const last = setTimeout(() => signal('SIGKILL'), within);
      try {
        return await exited;
      } finally {
        clearTimeout(last);
      }
    },
  };
}

async function assertSuspended(pid: number): Promise<void> {
  if (!(await isSuspended(pid))) throw new Error(`Process ${pid} still runs after SIGSTOP.`);
}

/** The watching subshell and whatever the process itself has started in its group. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The group is gone: nothing is left to signal.
  }
}
