import { type Configuration, createLogger } from '@agentstration/service-kit';
import { PostgresResourceStore, PostgresRunStore, type RunStore, applyDiscovery } from '@agentstration/store';
import type { Provider } from '@nestjs/common';
import { OutboxPublisher } from '../publish-outbox/outbox-publisher.ts';
import { NatsProviderDiscovery } from '../refresh-tool-provider/nats-provider-discovery.ts';
import { refreshPortsToken } from '../refresh-tool-provider/refresh-tool-provider.controller.ts';
import type { RefreshPorts } from '../refresh-tool-provider/refresh-tool-provider.ts';
import { resourceStoreToken } from '../resources/store-token.ts';
import { type RunProgress, runPortsToken, runProgressToken, runStoreToken } from '../runs/run-ports.ts';
import { loggedResourceStore } from '../security-log/logged-resource-store.ts';
import { loggedRunStore } from '../security-log/logged-run-store.ts';
import { pinoSecurityLog } from '../security-log/pino-security-log.ts';
import { Connections } from './connections.ts';
import { toRunPorts } from './run-ports.ts';
import { startPublisher } from './start-publisher.ts';
import { unknownProgress } from './unknown-progress.ts';

/** Ports and what stands behind them. */
export function providersOf(configuration: Configuration): Provider[] {
  const securityLog = pinoSecurityLog(createLogger('management-api', configuration.Logging.Level));
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
    { provide: runProgressToken, useValue: unknownProgress satisfies RunProgress },
    { provide: refreshPortsToken, inject: [Connections, resourceStoreToken], useFactory: toRefreshPorts },
    { provide: OutboxPublisher, inject: [Connections], useFactory: (open: Connections) => startPublisher(open, configuration) },
    {
      provide: runPortsToken,
      inject: [Connections, runStoreToken, runProgressToken, OutboxPublisher],
      useFactory: (open: Connections, ...[runs, progress, publisher]: [RunStore, RunProgress, OutboxPublisher]) =>
        toRunPorts(open, { runs, progress, publisher }),
    },
  ];
}

const toRefreshPorts = ({ database, nats }: Connections, store: RefreshPorts['store']): RefreshPorts => ({
  store,
  discovery: new NatsProviderDiscovery(nats),
  applyDiscovery: (discovery) => applyDiscovery(database, discovery),
  now: () => new Date(),
});
