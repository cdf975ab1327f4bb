import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ProjectorRig } from './projector-rig.ts';

const cli = join(import.meta.dirname, '../../apps/governance-projector/dist/cli.js');

/** An operator's command, as `npm run projector -- <command>` runs it: its exit code, and all that it printed. */
export async function runProjectorCommand(rig: ProjectorRig, ...given: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [cli, ...given], { env: { PATH: process.env.PATH, ...rig.environment }, cwd: rig.directory });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}
