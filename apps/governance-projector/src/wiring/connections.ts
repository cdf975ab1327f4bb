import { type Configuration, connectNats } from '@agentstration/service-kit';
import { closeDataSource, createDataSource } from '@agentstration/store';
import type { NatsConnection } from '@nats-io/transport-node';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { DataSource } from 'typeorm';

/** What the service holds open. The projector ends first, then the broker, then the database. */
export class Connections implements OnApplicationShutdown {
  readonly #beforeClose: (() => Promise<void>)[] = [];

  private constructor(
    readonly database: DataSource,
    /** Sees the read model of one Workspace at a time. */
    readonly reader: DataSource,
    readonly nats: NatsConnection,
  ) {}

  /** Rejects when no broker can be reached; the database may come later. */
  static async open(configuration: Configuration): Promise<Connections> {
    const nats = await connectNats(configuration, { name: 'governance-projector' });
    return new Connections(openDatabase(configuration), openReader(configuration), nats);
  }

  /** `end` runs before the connections close. */
  beforeClose(end: () => Promise<void>): void {
    this.#beforeClose.push(end);
  }

  async onApplicationShutdown(): Promise<void> {
    for (const end of this.#beforeClose) await end();
    if (!this.nats.isClosed()) await this.nats.drain();
    await Promise.all([closeDataSource(this.database), closeDataSource(this.reader)]);
  }
}

/** @param statementTimeoutMs longer than the configured time, for commands that compare whole tables */
export const openDatabase = (configuration: Configuration, statementTimeoutMs?: number): DataSource =>
  createDataSource({ ...optionsOf(configuration), role: 'projector', ...(statementTimeoutMs && { statementTimeoutMs }) });

const openReader = (configuration: Configuration): DataSource => createDataSource({ ...optionsOf(configuration), role: 'reader' });

const optionsOf = ({ Database }: Configuration) => ({
  url: Database.Url,
  poolSize: Database.MaximumConnections,
  connectTimeoutMs: Database.ConnectTimeoutMs,
  statementTimeoutMs: Database.StatementTimeoutMs,
});
