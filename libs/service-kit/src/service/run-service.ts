import type { INestApplicationContext } from '@nestjs/common';

/** Starts a service and closes it on SIGTERM or SIGINT. */
export function runService(_main: () => Promise<INestApplicationContext | (() => Promise<void>)>): void {
  throw new Error('being written');
}
