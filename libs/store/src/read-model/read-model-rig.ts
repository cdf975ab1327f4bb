import { type Fact, type RunKey, type Scope, runJournalSubject, toolCallJournalSubject } from '@agentstration/contracts';
import { type GovernanceRecord, readJournalMessage } from '@agentstration/governance';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../connection/create-data-source.ts';
import { closeDataSource, ready } from '../connection/ready.ts';
import { migrate } from '../migrate/migrate.ts';
import { ensureGeneration } from './generations.ts';
import { takeLease } from './project/checkpoint.ts';
import type { ProjectedMessage } from './project/journal-messages.ts';
import { projectBatch } from './project/project-batch.ts';
import { type RecordsQuery, listRecords } from './query/list-records.ts';
import { type RunRecordsQuery, listRunRecords } from './query/list-run-records.ts';
import { ReadModelReader } from './query/read-model-reader.ts';

/** A Journal in memory and a read model in a real database, for specs. */
export interface ReadModelRig {
  readonly dataSource: DataSource;
  /** As the management API connects. */
  readonly apiDataSource: DataSource;
  /** Reads as the read API does. */
  readonly reader: ReadModelReader;
  readonly readerDataSource: DataSource;
  /** Appends facts, or anything else, to the Journal of a Workspace. */
  append(scope: Scope, ...facts: readonly (Fact | RawMessage)[]): void;
  readonly messages: readonly ProjectedMessage[];
  /** Projects what was appended and is not yet projected, in batches of this size. */
  project(batchSize?: number): Promise<number>;
  close(): Promise<void>;
}

/** A message that need not be a fact. */
export interface RawMessage {
  readonly subject: string;
  readonly text: string;
}

export const rigStream = '2026-12-01T00:00:00.000000001Z';
export const rigOwner = 'rig';

/** @param url of an empty database, as a superuser */
export async function openReadModel(url: string): Promise<ReadModelRig> {
  await migrate(url);
  // Specs fill whole tables with one statement, on machines that are busy.
  const dataSource = createDataSource({ url, role: 'projector', statementTimeoutMs: 120_000 });
  const apiDataSource = createDataSource({ url, role: 'api' });
  const readerDataSource = createDataSource({ url, role: 'reader' });
  await ready(apiDataSource);
  const generation = await ensureGeneration(dataSource);
  await takeLease(dataSource, { generation, owner: rigOwner });
  const messages: ProjectedMessage[] = [];
  let projected = 0;
  return {
    dataSource,
    apiDataSource,
    readerDataSource,
    reader: new ReadModelReader(readerDataSource),
    messages,
    append(scope, ...facts) {
      for (const fact of facts) messages.push(toMessage(scope, fact, messages.length + 1));
    },
    async project(batchSize = 100) {
      for (; projected < messages.length; projected += batchSize) {
        const batch = messages.slice(projected, projected + batchSize);
        await projectBatch(dataSource, { generation, owner: rigOwner, streamCreated: rigStream, messages: batch });
      }
      projected = messages.length;
      return projected;
    },
    close: async () => {
      await closeDataSource(dataSource);
      await closeDataSource(apiDataSource);
      await closeDataSource(readerDataSource);
    },
  };
}

function toMessage(scope: Scope, fact: Fact | RawMessage, sequence: number): ProjectedMessage {
  const { subject, text } = 'text' in fact ? fact : { subject: subjectOf(scope, fact), text: JSON.stringify(fact) };
  const payload = new TextEncoder().encode(text);
  return { sequence, subject, payload, storedAt: Date.UTC(2026, 11, 1) + sequence, ...readJournalMessage(subject, payload) };
}

function subjectOf(scope: Scope, { data }: Fact): string {
  const run: RunKey = { ...scope, ownerKind: data.ownerKind, runId: data.runId };
  return 'toolCallId' in data ? toolCallJournalSubject({ ...run, toolCallId: data.toolCallId }) : runJournalSubject(run);
}

const recordsOf = ({ text }: { readonly text: string }): GovernanceRecord[] => JSON.parse(`[${text}]`) as GovernanceRecord[];

/** {@link listRunRecords}, with the records read back. */
export async function readRunRecords(reader: ReadModelReader, query: RunRecordsQuery) {
  const page = await listRunRecords(reader, query);
  return { ...page, items: recordsOf(page), nextSequence: page.next };
}

/** {@link listRecords}, with the records read back. */
export async function readRecords(reader: ReadModelReader, query: RecordsQuery) {
  const page = await listRecords(reader, query);
  return { ...page, items: recordsOf(page), nextBefore: page.next };
}
