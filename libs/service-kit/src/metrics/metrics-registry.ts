import { Registry } from 'prom-client';

/** The metrics of one service; `/metrics` shows them. Injectable: pass `registers: [registry]` to a prom-client metric. */
export class MetricsRegistry extends Registry {}
