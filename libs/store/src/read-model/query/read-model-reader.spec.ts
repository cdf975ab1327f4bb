import type { Scope } from '@agentstration/contracts';
import { type PostgresServer, eventually, startPostgres } from '@agentstration/local-servers';
import { allows, attemptFacts } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { queryInScope } from '../../connection/query-in-scope.ts';
import { type ReadModelRig, openReadModel } from '../read-model-rig.ts';
import { type RecordsQuery, listRecords } from './list-records.ts';
import { ReadModelReader } from './read-model-reader.ts';

const scope: Scope = { tenantId: 'local', workspaceId: 'demo' };
const neighbour: Scope = { tenantId: 'local', workspaceId: 'neighbour' };
const page = { scope, filter: {}, limit: 10, withArguments: false };

let postgres: PostgresServer;
let rig: ReadModelRig;
beforeAll(async () => {
  postgres = await startPostgres();
  rig = await openReadModel(await postgres.createDatabase('reader'));
  await append(scope, neighbour);
});
afterAll(async () => {
  await rig?.close();
  await postgres?.stop();
});

let calls = 0;
async function append(...scopes: readonly Scope[]): Promise<number> {
  for (const of of scopes) {
    const attempt = attemptFacts({ toolCallId: `call-${(calls += 1)}`, invocationId: `i-${calls}` });
    const json = JSON.stringify({ of: of.workspaceId });
    const retained = { arguments: { json, truncated: false, length: json.length } };
    rig.append(of, attempt.started(), attempt.evaluated([allows('a')], retained), attempt.completed());
  }
  return rig.project();
}

describe('readers of the same', () => {
  let reader: ReadModelReader;
  /** The Workspace of each query that was sent. */
  let sent: string[];
  /** Let the queries through that were sent up to now. */
  let open: (() => void)[];
  beforeEach(async () => {
    reader = new ReadModelReader(rig.readerDataSource, async (dataSource, who, statement) => {
      sent.push(who.workspaceId);
      await new Promise<void>((resolve) => open.push(resolve));
      return queryInScope(dataSource, who, statement);
    });
    [sent, open] = [[], []];
    const first = list();
    await letThrough(1);
    await first;
    [sent, open] = [[], []];
  });

  const list = (query: Partial<RecordsQuery> = {}) => listRecords(reader, { ...page, ...query });
  /** Waits for so many queries and lets them go. */
  async function letThrough(count: number): Promise<void> {
    await eventually(() => expect(open.length).toBe(count));
    for (const go of open.splice(0)) go();
  }

  it(verifies('READ-016', 'share one query, and see what was written before they asked'), async () => {
    const first = list();
    await new Promise((resolve) => setImmediate(resolve));
    const sequence = await append(scope);
    const later = [list(), list(), list()];
    await letThrough(1);
    await first;
    await letThrough(1);
    const answers = await Promise.all(later);
    expect(sent).toEqual(['demo', 'demo']);
    expect(new Set(answers.map(({ projectedSequence }) => projectedSequence))).toEqual(new Set([sequence]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it(verifies(['READ-016', 'READ-005'], 'share with no other Workspace, page or right'), async () => {
    const different = [list(), list({ scope: neighbour }), list({ limit: 1 }), list({ before: 2 }), list({ withArguments: true })];
    await letThrough(different.length);
    const [mine, theirs, short, older, complete] = (await Promise.all(different)).map(({ text, count }) => ({ text, count }));
    expect(sent.sort()).toEqual(['demo', 'demo', 'demo', 'demo', 'neighbour']);
    expect(theirs!.text).not.toBe(mine!.text);
    expect([short!.count, older!.count]).toEqual([1, 0]);
    expect(mine!.text).not.toContain('demo');
    expect(complete!.text).toContain('demo');
    expect(complete!.text).not.toContain('neighbour');
  });
});

interface Plans {
  readonly made: number;
  readonly kept: number;
}

it(verifies('READ-017', 'a page keeps its plan, wherever it begins'), async () => {
  for (let before = 100; before > 92; before -= 1) await listRecords(rig.reader, { ...page, before });
  const text = `SELECT sum(custom_plans)::int AS made, sum(generic_plans)::int AS kept FROM pg_prepared_statements WHERE name LIKE 'read\\_%'`;
  const [plans] = await queryInScope<Plans>(rig.readerDataSource, scope, { name: '', text, values: [] });
  expect(plans!.made).toBe(0);
  expect(plans!.kept).toBeGreaterThanOrEqual(8);
});
