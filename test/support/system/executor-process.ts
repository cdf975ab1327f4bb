import { join } from 'node:path';
import { type RunningProcess, eventually, freePort, startProcess } from '@agentstration/local-servers';

const shipped = join(import.meta.dirname, '..', '..', '..', 'apps', 'tool-executor', 'dist', 'main.js');
// Far more than it needs: a machine that others keep busy must not fail a test.
const readyWithinMs = 60_000;

/** A tool-executor in a process of its own, as its container runs it. */
export interface ExecutorProcess {
  readonly origin: string;
  readonly process: RunningProcess;
  /** The answer of `/readyz`. */
  readiness(): Promise<{ readonly status: number; readonly text: string }>;
}

/** Starts an executor and waits until it is ready. */
export async function startExecutor(environment: NodeJS.ProcessEnv, program = shipped): Promise<ExecutorProcess> {
  const executor = await launchExecutor(environment, program);
  const becomesReady = eventually(
    async () => {
      const { status, text } = await executor.readiness();
      if (status !== 200) throw new Error(text);
    },
    { within: readyWithinMs, every: 25 },
  );
  const died = executor.process.exited.then(() =>
    Promise.reject(new Error(`The executor ended while starting:\n${executor.process.output()}`)),
  );
  await Promise.race([becomesReady, died]);
  return executor;
}

/** Starts an executor and does not wait for it. */
export async function launchExecutor(environment: NodeJS.ProcessEnv, program = shipped): Promise<ExecutorProcess> {
  const port = await freePort();
  const running = await startProcess({
    command: process.execPath,
    arguments: [program],
    environment: { ...environment, Agentstration__Http__Port: String(port) },
  });
  const origin = `http://127.0.0.1:${port}`;
  const readiness = async () => {
    const answer = await fetch(`${origin}/readyz`);
    return { status: answer.status, text: await answer.text() };
  };
  return { origin, process: running, readiness };
}
