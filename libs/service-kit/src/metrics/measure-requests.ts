import type { RequestHandler } from 'express';
import { Histogram } from 'prom-client';
import type { MetricsRegistry } from './metrics-registry.ts';

/** Durations of HTTP requests by route pattern: never a path, so that no id becomes a label. */
export function measureRequests(registry: MetricsRegistry): RequestHandler {
  const durations = new Histogram({
    name: 'agentstration_http_request_duration_seconds',
    help: 'Duration of HTTP requests',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return (request, response, next) => {
    const start = process.hrtime.bigint();
    response.once('close', () => {
      const route = (request.route as { path?: unknown } | undefined)?.path;
      const labels = {
        method: knownMethod(request.method),
        route: typeof route === 'string' ? route : 'none',
        status: String(response.statusCode),
      };
      durations.observe(labels, Number(process.hrtime.bigint() - start) / 1e9);
    });
    next();
  };
}

/** Clients can invent methods; labels must stay few. */
const knownMethod = (method: string): string =>
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(method) ? method : 'other';
