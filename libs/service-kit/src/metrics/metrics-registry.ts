import { Registry, collectDefaultMetrics } from 'prom-client';

/** The metrics of one service; `/metrics` shows them. Injectable: pass `registers: [registry]` to a prom-client metric. */
export class MetricsRegistry extends Registry {}

/** A registry with the metrics of the process. */
export function createMetricsRegistry(): MetricsRegistry {
  const registry = new MetricsRegistry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
