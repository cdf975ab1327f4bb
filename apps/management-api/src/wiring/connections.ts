import { type Configuration, type ReadinessReport, connectNats } from '@agentstration/service-kit';
import { type StoreOptions, PostgresResourceStore, StoreUnavailable, closeDataSource, createDataSource } from '@agentstration/store';
import type { NatsConnection } from '@nats-io/transport-node';
import type { DataSource } from 'typeorm';
import type { OnApplicationShutdown } from '@nestjs/common';

/** What the service holds open, ended in the order in which it is used: first what sends, then the broker, then the database. */
export class Connections implements OnApplicationShutdown {
  readonly #beforeClose: (() => Promise<void>)[] = [];

  private constructor(
    readonly database: DataSource,
    readonly nats: NatsConnection,
  ) {}

  /** Rejects when no broker can be reached; the database may come later. */
  static async open(configuration: Configuration): Promise<Connections> {
    const nats = await connectNats(configuration, { name: 'management-api' });
    return new Connections(createDataSource(storeOptions(configuration)), nats);
  }

  /** `end` runs before the connections close. */
  beforeClose(end: () => Promise<void>): void {
    this.#beforeClose.push(end);
  }

  async databaseReport(): Promise<ReadinessReport> {
    try {
      await new PostgresResourceStore(this.database).get(nothing);
      return { ready: true };
    } catch (error) {
      return { ready: false, reason: error instanceof StoreUnavailable ? error.message : 'The database cannot be asked' };
    }
  }

  natsReport(): ReadinessReport {
    const connected = !this.nats.isClosed() && this.nats.info !== undefined;
    return connected ? { ready: true } : { ready: false, reason: 'The connection to NATS is lost; it is being made again' };
  }

  async onApplicationShutdown(): Promise<void> {
    for (const end of this.#beforeClose) await end();
    if (!this.nats.isClosed()) await this.nats.drain();
    await closeDataSource(this.database);
  }
}

const storeOptions = ({ Database }: Configuration): StoreOptions => ({
  url: Database.Url,
  role: 'api',
  poolSize: Database.MaximumConnections,
  connectTimeoutMs: Database.ConnectTimeoutMs,
  statementTimeoutMs: Database.StatementTimeoutMs,
});

/** Asked for to see that the database answers, with its schema and role in place. */
const nothing = { tenantId: 'readiness', workspaceId: 'readiness', kind: 'Tool', namespace: 'default', name: 'none' } as const;
