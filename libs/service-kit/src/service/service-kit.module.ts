import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import type { Logger } from 'pino';
import { BodyGuard } from '../bodies/body-guard.ts';
import { HealthController } from '../health/health.controller.ts';
import { Readiness } from '../health/readiness.ts';
import { AuthenticationGuard } from '../identity/authentication-guard.ts';
import { NestLogger } from '../logging/nest-logger.ts';
import { MetricsController } from '../metrics/metrics.controller.ts';
import { MetricsRegistry, createMetricsRegistry } from '../metrics/metrics-registry.ts';
import { OpenApiController, OpenApiSource } from '../openapi/openapi.controller.ts';
import { OpenApiSchemas } from '../openapi/openapi-schemas.ts';
import { ProblemFilter } from '../problems/problem-filter.ts';
import { ProblemMappings } from '../problems/problem-mappings.ts';

/** What every service has, and what its modules may inject: Readiness, MetricsRegistry, ProblemMappings, OpenApiSchemas. */
@Module({})
export class ServiceKitModule {
  static register(logger: Logger, guard: AuthenticationGuard): DynamicModule {
    return {
      module: ServiceKitModule,
      global: true,
      // Only Nest's own words go this way. The access log is mounted before all other middleware, and a middleware route
      // of this module would look like a route of the service.
      imports: [LoggerModule.forRoot({ pinoHttp: { logger }, forRoutes: [] })],
      controllers: [HealthController, MetricsController, OpenApiController],
      providers: [
        NestLogger,
        Readiness,
        ProblemMappings,
        OpenApiSource,
        OpenApiSchemas,
        { provide: MetricsRegistry, useFactory: createMetricsRegistry },
        // In this order: who may ask, then what is asked.
        { provide: APP_GUARD, useValue: guard },
        { provide: APP_GUARD, useClass: BodyGuard },
        { provide: APP_FILTER, useFactory: (mappings: ProblemMappings) => new ProblemFilter(mappings, logger), inject: [ProblemMappings] },
      ],
      exports: [Readiness, MetricsRegistry, ProblemMappings, OpenApiSchemas],
    };
  }
}
