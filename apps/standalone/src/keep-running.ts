import { setTimeout as pause } from 'node:timers/promises';
import type { Exit } from '@agentstration/local-servers';

/** A server of this host's own, as far as watching it goes. */
export interface Restartable {
  /** Settles when the process that runs now has ended. */
  readonly exited: Promise<Exit>;
  restart(): Promise<void>;
}

interface Watch {
  readonly name: string;
  /** Told in words for a log. */
  readonly onTrouble: (message: string) => void;
  /** Called when the server does not come up again. */
  readonly onLost: (error: unknown) => void;
}

const pauseMs = 500;

/** Starts a server again that ended though nobody asked it to. Answers how to stop watching: call it before stopping the server. */
export function keepRunning(server: Restartable, { name, onTrouble, onLost }: Watch): () => void {
  let watching = true;
  const watch = async (): Promise<void> => {
    while (watching) {
      const { code, signal } = await server.exited;
      if (!watching) return;
      onTrouble(`${name} ended ${signal ? `by ${signal}` : `with exit code ${code}`}; it is started again.`);
      await pause(pauseMs);
      if (watching) await server.restart();
    }
  };
  watch().catch((error: unknown) => watching && onLost(error));
  return () => {
    watching = false;
  };
}
