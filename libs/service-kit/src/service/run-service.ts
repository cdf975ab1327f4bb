/** What a running service can be told. */
export interface Running {
  close(): Promise<unknown>;
}

/** Starts a service and closes it on SIGTERM or SIGINT. */
export function runService(_main: () => Promise<Running>): void {
  throw new Error('being written');
}
