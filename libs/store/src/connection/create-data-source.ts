import 'reflect-metadata';
import type { ClientBase } from 'pg';
import { DataSource } from 'typeorm';
import { OutboxEntity } from '../outbox/outbox-entity.ts';
import { RunEntity } from '../runs/run-entity.ts';
import { endWhenSilent } from './end-when-silent.ts';
import { type StoreRole, databaseRole } from './roles.ts';
import { prepareScopeStatements } from './scoped-query.ts';

export interface StoreOptions {
  /** `postgres://user:password@host:port/database`. The user must be the service's role, a member of it, or a superuser. */
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

/** How much longer the client waits than the server: past it the connection itself is taken for dead. */
const networkGraceMs = 2_000;

/**
 * A pool of connections, each bound to the service's role. It connects on first use, so that a service starts while its
 * database is down, and every use reports an outage as `StoreUnavailable`. End it with `closeDataSource`.
 */
export function createDataSource(options: StoreOptions): DataSource {
  const { url, role, poolSize = 10, connectTimeoutMs = 5_000, statementTimeoutMs = 10_000 } = options;
  const pool = {
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    lock_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    // The pool waits for it before it lends the connection.
    onConnect: (client: ClientBase) => {
      endWhenSilent(client, statementTimeoutMs + networkGraceMs);
      return becomeRole(client, role);
    },
  };
  return new DataSource({
    type: 'postgres',
    url,
    applicationName: options.applicationName ?? `agentstration-${role}`,
    poolSize,
    entities: [RunEntity, OutboxEntity],
    installExtensions: false,
    logging: false,
    // An idle connection that dies is no news: the pool opens another one, and a use that fails says so itself.
    poolErrorHandler: () => undefined,
    extra: pool,
  });
}

/**
 * Every query of these services finds its rows by whole keys of an index. That plan is right whatever the tables hold: it
 * is made once, also while they are empty, and never by a sequential scan.
 */
const byKey = ['SET plan_cache_mode = force_generic_plan', 'SET enable_seqscan = off'];

/** What was answered survives a crash, also where the database's default would risk it. A read model can be rebuilt. */
const durably = `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;

const settings: Readonly<Record<StoreRole, readonly string[]>> = {
  api: [...byKey, durably],
  executor: byKey,
  projector: [],
  reader: ['SET default_transaction_read_only = on'],
};

/**
 * From its first statement on the connection has the grants and policies of the service, and no others: row level
 * security holds also where the login user could bypass it.
 */
async function becomeRole(client: ClientBase, role: StoreRole): Promise<void> {
  const common = [`SET ROLE ${databaseRole(role)}`, 'SET search_path = agentstration', 'SET jit = off', ...prepareScopeStatements];
  await client.query([...common, ...settings[role]].join('; '));
}
