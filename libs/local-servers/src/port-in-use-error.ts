import { StartRefused } from './start-refused.ts';

/** Somebody else listens on the port that was asked for. */
export class PortInUseError extends StartRefused {
  override readonly name = 'PortInUseError';
  readonly port: number;

  constructor(port: number, server: string) {
    super(`${server} cannot listen on 127.0.0.1:${port}: the port is in use.`);
    this.port = port;
  }
}
