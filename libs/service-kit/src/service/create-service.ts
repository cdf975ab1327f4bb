import 'reflect-metadata';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration/configuration.ts';
import { createAccessLog } from '../http/access-log.ts';
import { refuseDotSegments } from '../http/refuse-dot-segments.ts';
import { refuseForeignHosts } from '../http/refuse-foreign-hosts.ts';
import { ServiceAdapter } from '../http/service-adapter.ts';
import { AuthenticationGuard } from '../identity/authentication-guard.ts';
import { createAuthenticator } from '../identity/authenticator.ts';
import { createRateLimiter } from '../identity/rate-limiter.ts';
import { BootLogger } from '../logging/boot-logger.ts';
import { createLogger } from '../logging/create-logger.ts';
import { NestLogger } from '../logging/nest-logger.ts';
import { measureRequests } from '../metrics/measure-requests.ts';
import { MetricsRegistry } from '../metrics/metrics-registry.ts';
import { OpenApiSource } from '../openapi/openapi.controller.ts';
import { checkAccess } from './check-access.ts';
import { ServiceKitModule } from './service-kit.module.ts';

export interface ServiceOptions {
  readonly name: string;
  readonly configuration: Configuration;
  /** Default: {@link createLogger} with the configured level. */
  readonly logger?: Logger;
}

@Module({})
class ServiceModule {}

/** Answers are data: nothing in them may run, load or be framed. Whoever serves pages sets a policy of their own. */
const contentSecurityPolicy = { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } };

/**
 * An application with everything that each of our services has: access log, security headers, strict bodies, problem
 * documents, authentication, `/livez`, `/readyz`, `/metrics`, `/openapi.json`. It does not listen yet: call
 * `listen(configuration.Http.Port, configuration.Http.Host)`. On `close()` it finishes the requests in flight, then
 * runs `onApplicationShutdown`: that is the place to close what requests need.
 *
 * @throws Error when a route declares neither `@Requires` nor `@Public`, or a module cannot start.
 */
export async function createService(module: DynamicModule | Type, options: ServiceOptions): Promise<NestExpressApplication> {
  const { name, configuration } = options;
  const logger = options.logger ?? createLogger(name, configuration.Logging.Level);
  const guard = new AuthenticationGuard(await createAuthenticator(configuration), createRateLimiter(configuration.RateLimit));
  const root = { module: ServiceModule, imports: [ServiceKitModule.register(logger, guard), module] };
  const application = await NestFactory.create<NestExpressApplication>(root, new ServiceAdapter(configuration), {
    bodyParser: false,
    logger: new BootLogger(logger),
    abortOnError: false,
  });
  application.useLogger(application.get(NestLogger));
  checkAccess(application);
  application.use(createAccessLog(logger), measureRequests(application.get(MetricsRegistry)), helmet({ contentSecurityPolicy }));
  if (configuration.Authentication.Mode === 'Development') application.use(refuseForeignHosts);
  application.use(refuseDotSegments);
  application.get(OpenApiSource).describes(application, name);
  return application;
}
