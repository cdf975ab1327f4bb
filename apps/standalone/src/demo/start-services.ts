import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningProcess, eventually, freePort, startProcess } from '@agentstration/local-servers';

/** A service in a process of its own. */
export interface DemoService {
  readonly origin: string;
  readonly process: RunningProcess;
}

const apps = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const readyWithinMs = 20_000;

/** Starts one of the services as its container would, and waits until it is ready. */
export async function startService(
  app: 'management-api' | 'governance-projector' | 'tool-executor',
  environment: NodeJS.ProcessEnv,
): Promise<DemoService> {
  const port = await freePort();
  const process_ = await startProcess({
    command: process.execPath,
    arguments: [join(apps, app, 'dist', 'main.js')],
    environment: { ...process.env, ...environment, Agentstration__Http__Port: String(port) },
  });
  const origin = `http://127.0.0.1:${port}`;
  const died = process_.exited.then(() => Promise.reject(new Error(`${app} ended while starting:\n${process_.output()}`)));
  await Promise.race([eventually(() => assertReady(app, origin), { within: readyWithinMs, every: 25 }), died]);
  return { origin, process: process_ };
}

async function assertReady(app: string, origin: string): Promise<void> {
  const answer = await fetch(`${origin}/readyz`);
  if (!answer.ok) throw new Error(`${app} is not ready: ${await answer.text()}`);
}
