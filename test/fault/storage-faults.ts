import { execFile } from 'node:child_process';
import { mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { eventually } from '@agentstration/local-servers';
import { loadConfiguration } from '@agentstration/service-kit';
import { provision } from '@agentstration/tool-executor';
import type { Fault } from './fault-rig.ts';
import type { Severity } from './faults.ts';

const run = promisify(execFile);
const mebibyte = 1024 * 1024;

/** A disk of its own for a broker. Undefined where nobody may mount one. */
export async function mountSmallDisk(): Promise<{ readonly directory: string; unmount(): Promise<void> } | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'agentstration-small-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', directory]);
  } catch {
    await rmdir(directory);
    return undefined;
  }
  const unmount = async (): Promise<void> => {
    await run('umount', [directory]);
    await rmdir(directory);
  };
  return { directory, unmount };
}

/** F5: the broker's disk is full; it falls silent, and works again once there is room and it was restarted. */
export const diskFull = (directory: string, { outageMs }: Severity): Fault => ({
  name: 'F5 disk full',
  inject: async ({ system }) => {
    const filler = join(directory, 'filler');
    await writeFile(filler, Buffer.alloc(32 * mebibyte)).catch(() => undefined);
    await sleep(outageMs);
    await rm(filler);
    await system.nats.restart();
  },
});

/** So small that the load fills it. */
export const smallJournalBytes = mebibyte;

/** F6: the Journal is full; it takes new attempts again when its maximum is raised, and nothing is restarted. */
export const journalFull: Fault = {
  name: 'F6 Journal full, then raised',
  inject: async (rig) => {
    const [executor] = rig.executors;
    const isFull = async () => {
      const answer = await executor?.readiness();
      if (answer?.status !== 503 || !answer.text.includes('full')) throw new Error(`The Journal is not full yet: ${answer?.text}`);
    };
    await eventually(isFull, { within: 60_000, every: 50 });
    const environment = { ...rig.system.environment, Agentstration__Journal__MaximumBytes: String(1024 * mebibyte) };
    await provision(loadConfiguration({ environment }));
  },
};
