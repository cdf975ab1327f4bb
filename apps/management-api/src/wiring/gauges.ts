import type { MetricsRegistry } from '@agentstration/service-kit';
import type { Outbox } from '@agentstration/store';
import { Gauge } from 'prom-client';
import type { DataSource } from 'typeorm';

/** What the pool of `pg` tells of itself. */
interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** Connections of the pool: idle, lent out, and requests that wait for one. */
export function gaugeConnections(registry: MetricsRegistry, database: DataSource): void {
  new Gauge({
    name: 'agentstration_management_database_connections',
    help: 'Connections to PostgreSQL that are idle or in use, and requests that wait for one.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { totalCount = 0, idleCount = 0, waitingCount = 0 } = poolOf(database) ?? {};
      this.set({ state: 'idle' }, idleCount);
      this.set({ state: 'used' }, totalCount - idleCount);
      this.set({ state: 'waiting' }, waitingCount);
    },
  });
}

/** Messages that wait for the broker: a number that grows is an alarm. Absent while the database cannot be asked. */
export function gaugeOutbox(registry: MetricsRegistry, outbox: Pick<Outbox, 'backlog'>): void {
  new Gauge({
    name: 'agentstration_management_outbox_waiting',
    help: 'Facts and tool requests that wait to be taken by the broker.',
    registers: [registry],
    async collect() {
      const backlog = await outbox.backlog().catch(() => undefined);
      if (backlog) this.set(backlog.waiting);
      else this.reset();
    },
  });
}

const poolOf = (database: DataSource): Pool | undefined =>
  database.isInitialized ? (database.driver as unknown as { master?: Pool }).master : undefined;
