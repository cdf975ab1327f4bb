import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@agentstration/local-servers';
import type { BenchServers } from './bench-servers.ts';

const app = join(import.meta.dirname, '../../../apps/governance-projector/dist');

/** The service as a process of its own, and the most memory that it ever held. */
export class ProjectorProcess {
  peakMiB = 0;
  readonly #child: ChildProcess;
  readonly #watch: NodeJS.Timeout;
  readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
    this.#watch = setInterval(() => (this.peakMiB = Math.max(this.peakMiB, memoryOf(child.pid))), 200);
  }

  static async start({ environment, directory }: BenchServers): Promise<ProjectorProcess> {
    const port = await freePort();
    const env = { ...environment, Agentstration__Http__Port: String(port) };
    const child = spawn(process.execPath, [join(app, 'main.js')], { env, cwd: directory, stdio: ['ignore', 'inherit', 'inherit'] });
    return new ProjectorProcess(child, `http://127.0.0.1:${port}`);
  }

  async stop(): Promise<void> {
    clearInterval(this.#watch);
    this.#child.kill('SIGTERM');
    await new Promise((resolve) => this.#child.once('close', resolve));
  }
}

function memoryOf(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Waits until the active generation has reached a position; answers messages per second from the first ones on. */
export async function waitForProjection({ database }: BenchServers, facts: number, onProgress: (line: string) => void): Promise<number> {
  let first: { readonly at: number; readonly sequence: number } | undefined;
  for (let said = 0; ;) {
    const rows = await database.query<{ sequence: string }[]>(
      'SELECT g.sequence FROM read_model.active JOIN read_model.generation AS g USING (generation)',
    );
    const sequence = Number(rows[0]?.sequence ?? 0);
    const now = performance.now();
    if (sequence > 0) first ??= { at: now, sequence };
    const perSecond = first && now > first.at ? ((sequence - first.sequence) * 1000) / (now - first.at) : 0;
    if (sequence >= facts) return perSecond;
    if (now - said > 5000) onProgress(`projected ${sequence}, ${Math.round(perSecond)} per second`);
    if (now - said > 5000) said = now;
    await pause(100);
  }
}

/** Runs an operator's command; answers its seconds. */
export async function runCommand({ environment, directory }: BenchServers, command: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(app, 'cli.js'), command], {
    env: environment,
    cwd: directory,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${command} failed with exit code ${String(code)}`);
  return (performance.now() - startedAt) / 1000;
}
