import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Configuration, connectNats } from '@agentstration/service-kit';
import { closeDataSource } from '@agentstration/store';
import type { DataSource } from 'typeorm';
import { natsJournalSource } from '../project-journal/journal-source.ts';
import { openDatabase } from '../wiring/connections.ts';
import { withOperatorLock } from './operator-lock.ts';
import type { RebuildParts } from './shadow-generation.ts';

/** Whole tables are indexed and compared in one statement each. */
const longestStatementMs = 6 * 3_600_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs an operator's command on the database alone. */
export async function withDatabase<T>(
  configuration: Configuration,
  work: (database: DataSource, tell: typeof say) => Promise<T>,
): Promise<T> {
  const database = openDatabase(configuration, longestStatementMs);
  try {
    await database.initialize();
    return await withOperatorLock(database, () => work(database, say));
  } finally {
    await closeDataSource(database);
  }
}

/** Runs an operator's command that reads the Journal, too. An interrupt ends it, and leaves the live generation as it is. */
export async function withJournal<T>(configuration: Configuration, work: (parts: RebuildParts) => Promise<T>): Promise<T> {
  const nats = await connectNats(configuration, { name: 'projector-command' });
  const interrupt = new AbortController();
  const abort = (): void => interrupt.abort(new Error('interrupted'));
  process.once('SIGINT', abort).once('SIGTERM', abort);
  const owner = `command-${hostname()}-${process.pid}-${randomUUID()}`;
  try {
    return await withDatabase(configuration, (database) =>
      work({ database, journal: natsJournalSource(nats), owner, signal: interrupt.signal, say }),
    );
  } finally {
    await nats.close();
  }
}
