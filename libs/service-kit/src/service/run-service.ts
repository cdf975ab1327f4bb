import { createLogger } from '../logging/create-logger.ts';
import { isError } from '../logging/is-error.ts';
import { startTelemetry } from '../telemetry/start-telemetry.ts';

/** What a running service can be told. */
export interface Running {
  /** Drains: finishes what has begun, then lets go of everything. */
  close(): Promise<unknown>;
}

/** The part of `process` that a service's life needs. */
export interface Host extends NodeJS.EventEmitter {
  exit(code: number): void;
  readonly stderr: { write(text: string): unknown };
}

/**
 * The whole life of a process: starts `main`, closes what it gave on SIGTERM or SIGINT, and exits with 0. A job that is
 * done when `main` is gives nothing. A failed start or close exits with 1, a second signal at once.
 */
export function runService(main: () => Promise<Running | void>, host: Host = process): void {
  const started = start(main).catch((error: unknown) => explain(host, error));
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return host.exit(1);
    stopping = true;
    const close = await started;
    if (!close) return;
    try {
      await close();
      host.exit(0);
    } catch (error) {
      fail(host, `closing after ${signal} failed`, error);
    }
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) host.on(signal, () => void stop(signal));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) host.on(event, (error: unknown) => fail(host, event, error));
}

async function start(main: () => Promise<Running | void>): Promise<() => Promise<void>> {
  const stopTelemetry = await startTelemetry();
  const running = await main();
  return async () => {
    try {
      await running?.close();
    } finally {
      await stopTelemetry();
    }
  };
}

/**
 * A start that fails is read by a person: plainly, and without a stack where the cause is a setting or a server that is not
 * there. Errors that need no more than their message say so: `explainsItself`.
 */
function explain(host: Host, error: unknown): void {
  const { code, port } = (error ?? {}) as { code?: unknown; port?: unknown };
  const setting = 'set Agentstration:Http:Port (Agentstration__Http__Port); 0 takes a free one';
  if (isError(error) && 'explainsItself' in error) host.stderr.write(`${error.message}\n`);
  else if (code === 'EADDRINUSE') host.stderr.write(`Port ${String(port)} is in use: stop what listens there, or ${setting}\n`);
  else return fail(host, 'the service cannot start', error);
  host.exit(1);
}

/** State that nobody understands is not carried on: what is durable is taken up again by the next process. */
function fail(host: Host, what: string, error: unknown): void {
  createLogger('service').fatal({ err: error }, what);
  host.exit(1);
}
