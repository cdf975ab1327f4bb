import type { Configuration } from '@agentstration/service-kit';
import { PostgresResourceStore, PostgresRunStore, type RunStore, applyDiscovery } from '@agentstration/store';
import { ReadModelReader } from '@agentstration/store/read-model';
import type { Provider } from '@nestjs/common';
import type { Logger } from 'pino';
import { OutboxPublisher } from '../publish-outbox/outbox-publisher.ts';
import { NatsProviderDiscovery } from '../refresh-tool-provider/nats-provider-discovery.ts';
import { refreshPortsToken } from '../refresh-tool-provider/refresh-tool-provider.controller.ts';
import type { RefreshPorts } from '../refresh-tool-provider/refresh-tool-provider.ts';
import { resourceStoreToken } from '../resources/store-token.ts';
import { ReadModelProgress } from '../runs/read-model-progress.ts';
import { type RunProgress, runPortsToken, runProgressToken, runStoreToken } from '../runs/run-ports.ts';
import { loggedResourceStore } from '../security-log/logged-resource-store.ts';
import { loggedRunStore } from '../security-log/logged-run-store.ts';
import { loggedDiscovery } from '../security-log/logged-discovery.ts';
import { pinoSecurityLog } from '../security-log/pino-security-log.ts';
import type { SecurityLog } from '../security-log/security-log.ts';
import { Connections } from './connections.ts';
import { toRunPorts } from './run-ports.ts';
import { startPublisher } from './start-publisher.ts';

/** Ports and what stands behind them. */
export function providersOf(configuration: Configuration, logger: Logger): Provider[] {
  const securityLog = pinoSecurityLog(logger);
  return [
    { provide: Connections, useFactory: () => Connections.open(configuration) },
    {
      provide: resourceStoreToken,
      inject: [Connections],
      useFactory: ({ database }: Connections) => loggedResourceStore(new PostgresResourceStore(database), securityLog),
    },
    {
      provide: runStoreToken,
      inject: [Connections],
      useFactory: ({ database }: Connections) => loggedRunStore(new PostgresRunStore(database), securityLog),
    },
    {
      provide: runProgressToken,
      inject: [Connections],
      useFactory: ({ database }: Connections): RunProgress => new ReadModelProgress(new ReadModelReader(database)),
    },
    {
      provide: refreshPortsToken,
      inject: [Connections, resourceStoreToken],
      useFactory: (open: Connections, store: RefreshPorts['store']) => toRefreshPorts(open, store, securityLog),
    },
    { provide: OutboxPublisher, inject: [Connections], useFactory: (open: Connections) => startPublisher(open, configuration, logger) },
    {
      provide: runPortsToken,
      inject: [Connections, runStoreToken, runProgressToken, OutboxPublisher],
      useFactory: (open: Connections, ...[runs, progress, publisher]: [RunStore, RunProgress, OutboxPublisher]) =>
        toRunPorts(open, { runs, progress, publisher }),
    },
  ];
}

const toRefreshPorts = ({ database, nats }: Connections, store: RefreshPorts['store'], log: SecurityLog): RefreshPorts => ({
  store,
  discovery: new NatsProviderDiscovery(nats),
  applyDiscovery: loggedDiscovery((discovery) => applyDiscovery(database, discovery), log),
  now: () => new Date(),
});
