import { readJournal } from '@agentstration/journal';
import { createGeneration, dropGeneration, indexGeneration } from '@agentstration/store/read-model';
import pg from 'pg';
import type { BenchServers } from './bench-servers.ts';

type Value = string | number | boolean | null;
type Rows = Record<Table, Value[][]>;
type Table = 'message' | 'attempt' | 'record' | 'record_outcome' | 'evaluation';

/** What the bare loop knows of an attempt until it ends: enough to write its rows once, with nothing looked up. */
interface Seen {
  readonly started: BareFact;
  evaluated?: BareFact;
  numbers?: [workspaceSequence: number, runSequence: number];
}
interface BareFact {
  readonly type: string;
  readonly time: string;
  readonly data: Record<string, never> & {
    readonly runId: string;
    readonly toolCallId: string;
    readonly evaluations: readonly { hook: { id: string; resourceId?: string; resourceGeneration?: number }; decision: string }[];
    readonly outcome?: string;
  };
}

const types: Record<Table, string[]> = {
  message: ['bigint', 'integer', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint'],
  attempt: [
    'bigint',
    'integer',
    'text',
    'integer',
    'text',
    'integer',
    ...Array<string>(8).fill('text'),
    'bigint',
    'bigint',
    'bigint',
    'text',
    'text',
    'text',
  ],
  record: [
    ...['integer', 'bigint', 'bigint', 'bigint', 'bigint', 'text', 'text', 'text', 'text', 'text'],
    ...['text', 'boolean', 'boolean', 'boolean', 'text', 'text', 'text', 'bigint'],
  ],
  record_outcome: ['integer', 'text', 'bigint'],
  evaluation: ['integer', 'bigint', 'smallint', 'text', 'text', 'bigint', 'text'],
};

const literal = (values: readonly Value[]): string =>
  `{${values.map((value) => (typeof value === 'string' ? `"${value.replace(/[\\"]/g, '\\$&')}"` : (value ?? 'NULL'))).join(',')}}`;

/**
 * What the projection is measured against: reads the same Journal and bulk-inserts the same rows into the same tables, and
 * has no logic: nothing is checked, looked up, locked or remembered. Answers messages per second.
 */
export async function runBareLoop({ connection, database, databaseUrl }: BenchServers, facts: number): Promise<number> {
  const generation = await createGeneration(database);
  await indexGeneration(database, generation);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await readAndInsert(client, { connection, generation, facts });
  } finally {
    await client.end();
    await dropGeneration(database, generation);
  }
}

interface Loop extends Pick<BenchServers, 'connection'> {
  readonly generation: number;
  readonly facts: number;
}

async function readAndInsert(client: pg.Client, { connection, generation, facts }: Loop): Promise<number> {
  const loop = new BareLoop();
  const end = new AbortController();
  const startedAt = performance.now();
  let count = 0;
  for await (const { messages } of readJournal(connection, { from: 1, maximumBatch: 1000, signal: end.signal })) {
    const { rows, payloads } = loop.toRows(messages);
    await client.query('BEGIN; SET LOCAL synchronous_commit = off');
    await insertMessages(client, `read_model.message_${generation}`, rows.message, payloads);
    for (const table of ['attempt', 'record', 'record_outcome', 'evaluation'] as const) {
      if (rows[table].length === 0) continue;
      const arrays = types[table].map((_, column) => literal(rows[table].map((row) => row[column] ?? null)));
      const unnested = types[table].map((type, column) => `$${column + 1}::${type}[]`).join(', ');
      await client.query(`INSERT INTO read_model.${table}_${generation} SELECT * FROM unnest(${unnested})`, arrays);
    }
    await client.query('COMMIT');
    count += messages.length;
    if (count >= facts) end.abort();
  }
  return (count * 1000) / (performance.now() - startedAt);
}

async function insertMessages(client: pg.Client, table: string, rows: readonly Value[][], payloads: readonly Uint8Array[]): Promise<void> {
  let start = 1;
  const starts = payloads.map(({ byteLength }) => (start += byteLength) - byteLength);
  const columns = [
    ...types.message.map((_, column) => literal(rows.map((row) => row[column] ?? null))),
    literal(starts),
    literal(payloads.map((each) => each.byteLength)),
  ];
  const unnested = [...types.message, 'integer', 'integer'].map((type, column) => `$${column + 2}::${type}[]`).join(', ');
  await client.query(
    `INSERT INTO ${table} SELECT a, b, c, d, e, f, g, substr($1::bytea, s, l) FROM unnest(${unnested}) AS u (a, b, c, d, e, f, g, s, l)`,
    [Buffer.concat(payloads), ...columns],
  );
}

class BareLoop {
  readonly #numbers = new Map<string, number>();
  readonly #keys = new Map<string, number>();
  readonly #seen = new Map<string, Seen>();

  toRows(messages: readonly { sequence: number; subject: string; payload: Uint8Array; timestamp: string }[]) {
    const rows: Rows = { message: [], attempt: [], record: [], record_outcome: [], evaluation: [] };
    for (const { sequence, subject, payload, timestamp } of messages) {
      const [, , , , workspace = '', , run = ''] = subject.split('.');
      const [workspaceKey, runKey] = [this.#key(workspace), this.#key(run)];
      const [workspaceSequence, runSequence] = [this.#next(workspace), this.#next(run)];
      rows.message.push([sequence, workspaceKey, workspaceSequence, runKey, runSequence, null, Date.parse(timestamp)]);
      const fact = JSON.parse(Buffer.from(payload).toString()) as BareFact;
      this.#add(rows, fact, { workspaceKey, runKey, workspaceSequence, runSequence });
    }
    return { rows, payloads: messages.map(({ payload }) => payload) };
  }

  #add(rows: Rows, fact: BareFact, at: { workspaceKey: number; runKey: number; workspaceSequence: number; runSequence: number }): void {
    const { data } = fact;
    const seen = this.#seen.get(data.toolCallId) ?? { started: fact };
    this.#seen.set(data.toolCallId, seen);
    if (fact === seen.started) return;
    if (data.evaluations) {
      seen.evaluated = fact;
      seen.numbers = [at.workspaceSequence, at.runSequence];
      return;
    }
    this.#seen.delete(data.toolCallId);
    const {
      toolCallId,
      invocationId,
      attempt,
      requestId,
      toolId,
      toolName,
      providerId,
      externalToolId,
      agentId,
      principalId,
      correlationId,
    } = data as Record<string, string>;
    const [workspaceSequence, runSequence] = seen.numbers!;
    const outcome = data.outcome ?? 'Succeeded';
    const json = JSON.stringify(data);
    const identity = [toolId, toolName, providerId, externalToolId, agentId] as Value[];
    rows.attempt.push([
      at.runKey,
      at.workspaceKey,
      toolCallId!,
      1,
      invocationId!,
      attempt!,
      requestId!,
      ...identity,
      principalId!,
      correlationId!,
      runSequence,
      at.workspaceSequence,
      Date.parse(seen.started.time),
      json.slice(0, 140),
      json.slice(0, 180),
      null,
    ]);
    const document = JSON.stringify(seen.evaluated!.data);
    rows.record.push([
      ...[
        at.workspaceKey,
        workspaceSequence,
        at.runKey,
        runSequence,
        Date.parse(seen.evaluated!.time),
        toolCallId!,
        invocationId!,
        toolId!,
      ],
      ...[
        providerId!,
        agentId!,
        'Allowed',
        outcome !== 'Denied',
        outcome === 'Denied',
        false,
        document,
        null,
        outcome,
        at.workspaceSequence,
      ],
    ]);
    rows.record_outcome.push([at.workspaceKey, outcome, workspaceSequence]);
    seen.evaluated!.data.evaluations.forEach(({ hook, decision }, position) =>
      rows.evaluation.push([
        at.workspaceKey,
        workspaceSequence,
        position,
        hook.id,
        hook.resourceId ?? null,
        hook.resourceGeneration ?? null,
        decision,
      ]),
    );
  }

  #key(name: string): number {
    const key = this.#keys.get(name) ?? this.#keys.size + 1;
    this.#keys.set(name, key);
    return key;
  }

  #next(name: string): number {
    const number = (this.#numbers.get(name) ?? 0) + 1;
    this.#numbers.set(name, number);
    return number;
  }
}
