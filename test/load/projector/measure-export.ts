import { Writable } from 'node:stream';
import { activeGeneration } from '@agentstration/store/read-model';
import pg from 'pg';
import type { BenchServers } from './bench-servers.ts';
import { scope } from './measure-pages.ts';

export interface ExportSpeed {
  readonly records: number;
  readonly apiPerSecond: number;
  readonly copyPerSecond: number;
}

/** Records per second of an export through the API, and of PostgreSQL's own COPY of the same columns. */
export async function measureExport(servers: BenchServers, { url, token }: { url: string; token: string }): Promise<ExportSpeed> {
  const records = await count(servers);
  const copySeconds = await timed(() => copy(servers));
  const apiSeconds = await timed(async () => {
    const response = await fetch(`${url}/api/tool-governance/export?format=ndjson`, { headers: { Authorization: `Bearer ${token}` } });
    let lines = 0;
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
    }
    if (lines !== records) throw new Error(`The export has ${lines} records, not ${records}`);
  });
  return { records, apiPerSecond: records / apiSeconds, copyPerSecond: records / copySeconds };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

async function ofScope({ database }: BenchServers): Promise<string> {
  const generation = (await activeGeneration(database))!;
  return `read_model.record_${generation} WHERE workspace_key = (SELECT workspace_key FROM read_model.workspace_${generation} WHERE tenant_id = '${scope.tenantId}' AND workspace_id = '${scope.workspaceId}')`;
}

async function count(servers: BenchServers): Promise<number> {
  const [row] = await servers.database.query<[{ count: string }]>(`SELECT count(*) FROM ${await ofScope(servers)}`);
  return Number(row.count);
}

/** `pg` has no COPY of its own: the rows come as the protocol's CopyData messages, and are only counted. */
async function copy(servers: BenchServers): Promise<number> {
  const columns = 'document, arguments, outcome';
  const text = `COPY (SELECT ${columns} FROM ${await ofScope(servers)} ORDER BY workspace_sequence DESC) TO STDOUT WITH (FORMAT csv)`;
  const client = new pg.Client({ connectionString: servers.databaseUrl });
  await client.connect();
  let bytes = 0;
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => ((bytes += chunk.length), done()) });
  await new Promise<void>((resolve, reject) => {
    const submittable = Object.assign(sink, {
      submit: (connection: { query(text: string): void }) => connection.query(text),
      handleCopyData: (message: { chunk: Buffer }) => void (bytes += message.chunk.length),
      ...Object.fromEntries(
        ['handleCommandComplete', 'handleRowDescription', 'handleDataRow', 'handleEmptyQuery'].map((name) => [name, () => undefined]),
      ),
      handleError: reject,
      handleReadyForQuery: () => resolve(),
      callback: () => undefined,
    });
    client.query(submittable as unknown as pg.Submittable);
  });
  await client.end();
  return bytes;
}
