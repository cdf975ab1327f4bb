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
  /** Every client a page of its own: none shares a query. */
  readonly apiDifferent: Latency;
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
  const get = (path: string): Promise<Buffer[]> => receive(client, { path, headers: { authorization: `Bearer ${token}` } });
  const page = `/api/tool-governance?limit=${limit}`;
  const last = await lastPage(get);
  const different = await firstPages(get);
  const bare = await barePage(servers);
  const works = {
    apiFirst: () => get(page),
    bareFirst: bare.query,
    apiLast: () => get(last),
    apiDifferent: (index: number) => get(different[index % different.length]!),
  };
  const times = await measureInTurns(works, rounds);
  await Promise.all([bare.end(), client.close()]);
  return mapValues(times, toLatency);
}

/** Whatever else the machine does meets all of them, and each follows each other as often (Williams, 1949): the one before counts. */
const turns = [0, 1, 3, 2];

async function measureInTurns<Name extends string>(works: Record<Name, Work>, rounds: number): Promise<Record<Name, number[]>> {
  const names = Object.keys(works) as Name[];
  const times = mapValues(works, (): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const turn of turns) {
      const name = names[(turn + round) % turns.length]!;
      times[name].push(...(await measure(works[name])));
    }
  }
  return times;
}

const mapValues = <Name extends string, From, To>(from: Record<Name, From>, map: (value: From) => To): Record<Name, To> =>
  Object.fromEntries(Object.entries<From>(from).map(([name, value]) => [name, map(value)])) as Record<Name, To>;

/**
 * The bytes of an answer as they came, by the shortest way that the client has: it runs on the cores that are measured. What
 * is in them is the reader's business, here as for the bare query.
 */
function receive(client: Pool, { path, headers }: { readonly path: string; readonly headers: Record<string, string> }): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    client.dispatch(
      { path, headers, method: 'GET' },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, statusCode) => void (status = statusCode),
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => (status === 200 ? resolve(chunks) : reject(new Error(`${path}: ${status}`))),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}

/** Its argument is the number of the client. */
type Work = (client: number) => Promise<unknown>;

async function measure(work: Work): Promise<number[]> {
  const times: number[] = [];
  const client = async (_: unknown, index: number): Promise<void> => {
    for (let call = 0; call < 10; call += 1) {
      const startedAt = performance.now();
      await work(index);
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

const parse = (answer: Buffer[]): unknown => JSON.parse(Buffer.concat(answer).toString());

/** The first pages, one for each client as far as there are so many. */
async function firstPages(get: (path: string) => Promise<Buffer[]>): Promise<string[]> {
  const paths: string[] = [];
  for (let cursor: string | null = ''; cursor !== null && paths.length < clients;) {
    const path: string = `/api/tool-governance?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
    paths.push(path);
    ({ cursor } = parse(await get(path)) as { cursor: string | null });
  }
  return paths;
}

/** The last full page, found as a client finds it: by walking there. */
async function lastPage(get: (path: string) => Promise<Buffer[]>): Promise<string> {
  let [last, cursor]: [string, string | null] = ['', ''];
  while (cursor !== null) {
    const path: string = `/api/tool-governance?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = parse(await get(path)) as { items: unknown[]; cursor: string | null };
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
