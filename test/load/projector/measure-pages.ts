import pg from 'pg';
import { Pool } from 'undici';
import { closeDataSource, createDataSource } from '@agentstration/store';
import { ReadModelReader, type Statement, listRecords, queryInScope } from '@agentstration/store/read-model';
import type { BenchServers } from './bench-servers.ts';

export interface Latency {
  readonly p50: number;
  readonly p99: number;
}
export interface PageLatencies {
  readonly apiFirst: Latency;
  readonly apiLast: Latency;
  readonly bareFirst: Latency;
}

const clients = 10;
const limit = 100;
export const scope = { tenantId: 'bench', workspaceId: 'workspace-1' };

/** Milliseconds of a page of 100 records: through the API, and as a bare query over `pg`, 10 clients at once. */
export async function measurePages(
  servers: BenchServers,
  { url, token, rounds }: { url: string; token: string; rounds: number },
): Promise<PageLatencies> {
  const client = new Pool(url, { connections: clients, pipelining: 1 });
  /** The bytes of an answer: to read them is the reader's work. */
  const get = async (path: string): Promise<Buffer> => {
    const { statusCode, body } = await client.request({ path, method: 'GET', headers: { authorization: `Bearer ${token}` } });
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
    return Buffer.from(await body.arrayBuffer());
  };
  const page = `/api/tool-governance?limit=${limit}`;
  const last = await lastPage(get);
  const bare = await barePage(servers);
  // Taken in turns, so that whatever else the machine does meets all of them.
  const [apiFirst, apiLast, bareFirst]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    apiFirst.push(...(await measure(() => get(page))));
    bareFirst.push(...(await measure(bare.query)));
    apiLast.push(...(await measure(() => get(last))));
  }
  await Promise.all([bare.end(), client.close()]);
  return { apiFirst: toLatency(apiFirst), apiLast: toLatency(apiLast), bareFirst: toLatency(bareFirst) };
}

async function measure(work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  const client = async (): Promise<void> => {
    for (let call = 0; call < 10; call += 1) {
      const startedAt = performance.now();
      await work();
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return times;
}

function toLatency(times: number[]): Latency {
  const sorted = times.slice(Math.floor(times.length / 10)).sort((left, right) => left - right);
  const at = (share: number): number => Math.round((sorted[Math.floor(sorted.length * share)] ?? 0) * 100) / 100;
  return { p50: at(0.5), p99: at(0.99) };
}

/** The last full page, found as a client finds it: by walking there. */
async function lastPage(get: (path: string) => Promise<Buffer>): Promise<string> {
  let [last, cursor]: [string, string | null] = ['', ''];
  while (cursor !== null) {
    const path: string = `/api/tool-governance?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = JSON.parse((await get(path)).toString()) as { items: unknown[]; cursor: string | null };
    if (page.items.length === 200) last = path;
    cursor = page.cursor;
  }
  return last.replace('limit=200', `limit=${limit}`);
}

/** The statement that the API sends for this page, sent by `pg` alone as one writes it: text and values. */
async function barePage({ databaseUrl }: BenchServers) {
  const database = createDataSource({ url: databaseUrl, role: 'reader' });
  let statement: Statement | undefined;
  const recording: typeof queryInScope = (connection, who, sent) => queryInScope(connection, who, (statement = sent));
  await listRecords(new ReadModelReader(database, recording), { scope, filter: {}, limit, withArguments: true });
  await closeDataSource(database);
  const { text, values } = statement!;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: clients });
  return { query: () => pool.query(text, [...values]), end: () => pool.end() };
}
