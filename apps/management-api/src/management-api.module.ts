import {
  type Configuration,
  MetricsRegistry,
  OpenApiSchemas,
  ProblemError,
  ProblemMappings,
  Readiness,
  createLogger,
} from '@agentstration/service-kit';
import { Outbox, StoreUnavailable } from '@agentstration/store';
import { type DynamicModule, Inject, Module, type OnModuleInit } from '@nestjs/common';
import { components } from './openapi/components.ts';
import { Connections } from './wiring/connections.ts';
import { controllers } from './wiring/controllers.ts';
import { gaugeConnections, gaugeOutbox } from './wiring/gauges.ts';
import { providersOf } from './wiring/providers.ts';

/** The management API: hooks, tool providers, tools and runs over HTTP. */
@Module({})
export class ManagementApiModule implements OnModuleInit {
  static register(configuration: Configuration, logger = createLogger('management-api', configuration.Logging.Level)): DynamicModule {
    return { module: ManagementApiModule, controllers, providers: providersOf(configuration, logger) };
  }

  @Inject(Connections) private readonly connections: Connections;
  @Inject(Readiness) private readonly readiness: Readiness;
  @Inject(ProblemMappings) private readonly problems: ProblemMappings;
  @Inject(MetricsRegistry) private readonly metrics: MetricsRegistry;
  @Inject(OpenApiSchemas) private readonly schemas: OpenApiSchemas;

  onModuleInit(): void {
    this.schemas.add(components);
    gaugeConnections(this.metrics, this.connections.database);
    gaugeOutbox(this.metrics, new Outbox(this.connections.database));
    this.problems.register(toUnavailable);
    this.readiness.register('management-database', () => this.connections.databaseReport());
    this.readiness.register('management-nats', () => Promise.resolve(this.connections.natsReport()));
  }
}

const toUnavailable = (error: unknown): ProblemError | undefined =>
  error instanceof StoreUnavailable
    ? new ProblemError('unavailable', 'The database cannot be used at the moment', { headers: { 'Retry-After': '2' } })
    : undefined;
