import { type Configuration, MetricsRegistry, Readiness } from '@agentstration/service-kit';
import { type DynamicModule, type INestApplication, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { CancelsController } from './cancel-tool-calls/cancels.controller.ts';
import { RunningCalls } from './cancel-tool-calls/running-calls.ts';
import { DiscoveriesController, discoveryToken } from './discover-tools/discoveries.controller.ts';
import { type DecorateParts, type OpenExecutor, openExecutor } from './open-executor.ts';
import { CallsController } from './receive-requests/calls.controller.ts';
import { registerReadiness } from './register-readiness.ts';
import { RequestsController, receptionToken } from './receive-requests/requests.controller.ts';

const executorToken = Symbol('OpenExecutor');

/** Requests from NATS, through hooks and gate, to providers. It has no HTTP routes of its own. */
@Module({})
export class ToolExecutorModule implements OnApplicationShutdown {
  constructor(
    @Inject(executorToken) private readonly executor: OpenExecutor,
    @Inject(Readiness) readiness: Readiness,
  ) {
    registerReadiness(readiness, executor);
  }

  static register(configuration: Configuration, decorate?: DecorateParts): DynamicModule {
    return {
      module: ToolExecutorModule,
      controllers: [RequestsController, CallsController, CancelsController, DiscoveriesController],
      providers: [
        {
          provide: executorToken,
          useFactory: (registry: MetricsRegistry) => openExecutor(configuration, { registry, decorate }),
          inject: [MetricsRegistry],
        },
        { provide: receptionToken, useFactory: (executor: OpenExecutor) => executor.reception, inject: [executorToken] },
        { provide: RunningCalls, useFactory: (executor: OpenExecutor) => executor.reception.calls, inject: [executorToken] },
        { provide: discoveryToken, useFactory: (executor: OpenExecutor) => executor.providers, inject: [executorToken] },
      ],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.executor.close();
  }
}

/** Lets an application that has the module take requests. Call it once everything else is ready. */
export async function takeRequests(application: INestApplication): Promise<void> {
  const { strategy } = application.get<OpenExecutor>(executorToken, { strict: false });
  application.connectMicroservice<MicroserviceOptions>({ strategy }, { inheritAppConfig: false });
  await application.startAllMicroservices();
}
