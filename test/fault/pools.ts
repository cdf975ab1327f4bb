import pg from 'pg';
import { Gauge, type Registry } from 'prom-client';

const pools: pg.Pool[] = [];

/** From now on every pool of database connections that this process makes is known: nobody outside can count what was not returned. */
export function watchPools(): void {
  pg.Pool = class extends pg.Pool {
    constructor(options?: pg.PoolConfig) {
      super(options);
      pools.push(this);
    }
  };
}

/** Shows the pools among the metrics. */
export function showPools(registry: Registry): void {
  const gauge = (name: string, help: string, read: (pool: pg.Pool) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(pools.reduce((sum, pool) => sum + read(pool), 0));
      },
    });
  gauge('rig_database_pools', 'Pools', () => 1);
  gauge('rig_database_pool_total', 'Connections of the pool', ({ totalCount }) => totalCount);
  gauge('rig_database_pool_idle', 'Connections that nobody holds', ({ idleCount }) => idleCount);
  gauge('rig_database_pool_waiting', 'Callers that wait for a connection', ({ waitingCount }) => waitingCount);
}
