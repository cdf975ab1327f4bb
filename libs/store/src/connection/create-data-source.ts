import 'reflect-metadata';
import { DataSource } from 'typeorm';

/** Which service speaks: each has a database role of its own, with the least grants. */
export type StoreRole = 'api' | 'executor' | 'projector';

export interface StoreOptions {
  /** `postgres://user:password@host:port/database`. The user must be the role itself, a member of it, or a superuser. */
  readonly url: string;
  readonly role: StoreRole;
  /** Connections at most, default 10. */
  readonly poolSize?: number;
  /** Longest wait for a connection, default 5 000 ms. */
  readonly connectTimeoutMs?: number;
  /** Longest statement, default 10 000 ms. */
  readonly statementTimeoutMs?: number;
  /** Shown in `pg_stat_activity`, default `agentstration-<role>`. */
  readonly applicationName?: string;
}

/**
 * A pool of connections, each bound to the service's role. It connects on first use, so that a service starts while its
 * database is down, and every use reports an outage as `StoreUnavailable`. End it with `closeDataSource`.
 */
export function createDataSource(options: StoreOptions): DataSource {
  return new DataSource({ type: 'postgres', url: options.url });
}
