export { eventually } from './eventually.ts';
export { freePort, isPortFree } from './free-port.ts';
export { findNatsServer, natsServerSetting } from './nats/find-nats-server.ts';
export { startNatsServer, type NatsServer, type NatsServerOptions } from './nats/start-nats-server.ts';
export { PortInUseError } from './port-in-use-error.ts';
export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres/start-postgres.ts';
export { DirectoryInUseError, lockDirectory, type Unlock } from './process/lock-directory.ts';
export { startProcess, type Exit, type ProcessOptions, type RunningProcess } from './process/start-process.ts';
export { StartRefused } from './start-refused.ts';
