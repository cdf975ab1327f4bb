import { Pool } from 'undici';
import type { BenchServers } from './bench-servers.ts';
import { type CompareOptions, type Comparison, type Side, compare } from './compare.ts';
import { definitionOf, hooks, nameOf } from './seed.ts';

const path = '/api/toolexecutionhooks';
const inFlight = 20;
/** Neighbouring calls are far apart, and no two in flight write the same hook. */
const indexOf = (call: number): number => (call * 7919) % hooks;

/** What one call of each kind sends. */
const requests = {
  getOne: (call: number) => ({ method: 'GET', path: `${path}/${nameOf(indexOf(call))}` }),
  listPage: () => ({ method: 'GET', path: `${path}?resourceNamespace=default&limit=50` }),
  write: (call: number) => ({ method: 'PUT', path: `${path}/${nameOf(indexOf(call))}`, body: manifestOf(indexOf(call), call) }),
} as const;

const manifestOf = (index: number, call: number): string =>
  JSON.stringify({
    ...{ apiVersion: 'agentstration.io/v1', kind: 'ToolExecutionHook', metadata: { name: nameOf(index), labels: { area: 'crm' } } },
    definition: definitionOf(index, call % 10_000),
  });

/** The API against the bare server. */
export async function compareHttp(
  servers: BenchServers,
  options: CompareOptions,
  only: readonly string[] = Object.keys(requests),
): Promise<Record<string, Comparison>> {
  const pools = { ours: new Pool(servers.api, { connections: inFlight }), bare: new Pool(servers.bare, { connections: inFlight }) };
  const headers = { authorization: `Bearer ${servers.token}`, 'if-match': '*' };
  const sideOf =
    (pool: Pool, kind: keyof typeof requests): ((call: number) => Promise<string>) =>
    async (call) => {
      const request = requests[kind](call);
      const sent = 'body' in request ? { ...headers, 'content-type': 'application/json' } : headers;
      const { statusCode, body } = await pool.request({ ...request, headers: sent });
      if (statusCode !== 200) throw new Error(`${request.method} ${request.path}: ${statusCode} ${await body.text()}`);
      return body.text();
    };
  const results: Record<string, Comparison> = {};
  for (const kind of (Object.keys(requests) as (keyof typeof requests)[]).filter((one) => only.includes(one))) {
    const [ours, bare] = [sideOf(pools.ours, kind), sideOf(pools.bare, kind)] satisfies [Side, Side];
    if (kind !== 'write') await checkSame(ours, bare);
    results[kind] = await compare(ours, bare, options);
  }
  await Promise.all([pools.ours.close(), pools.bare.close()]);
  return results;
}

/** The bare form would be no yardstick if it answered less. */
async function checkSame(ours: (call: number) => Promise<string>, bare: (call: number) => Promise<string>): Promise<void> {
  const [left, right] = [await ours(1), await bare(1)];
  const withoutToken = (text: string): string => text.replace(/"continue":"[^"]*"/, '');
  if (withoutToken(left) !== withoutToken(right)) throw new Error(`The answers differ:\n${left}\n${right}`);
}
