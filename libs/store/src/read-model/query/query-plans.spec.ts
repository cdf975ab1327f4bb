import type { Scope } from '@agentstration/contracts';
import { type PostgresServer, startPostgres } from '@agentstration/local-servers';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { queryInScope } from '../../connection/query-in-scope.ts';
import type { Statement } from '../../connection/scoped-query.ts';
import { type ReadModelRig, openReadModel } from '../read-model-rig.ts';
import { tablesOf } from '../tables/generation-tables.ts';
import { listChanges } from './list-changes.ts';
import { listRecords } from './list-records.ts';
import { listRunEvents } from './list-run-events.ts';
import { listRunRecords } from './list-run-records.ts';
import { listToolCalls } from './list-tool-calls.ts';
import { ReadModelReader } from './read-model-reader.ts';
import type { RecordFilter } from './record-filter.ts';
import { summariseRecords } from './summarise-records.ts';

const attempts = 120_000;
const scope = { tenantId: 'local', workspaceId: 'w1' };
const run = { ...scope, ownerKind: 'RuntimeRun', runId: 'r1' } as const;
const hour = 3_600_000;

let postgres: PostgresServer;
let rig: ReadModelRig;

beforeAll(async () => {
  postgres = await startPostgres();
  rig = await openReadModel(await postgres.createDatabase('plans'));
  for (const statement of manyRows(attempts)) await rig.dataSource.query(statement);
}, 120_000);
afterAll(async () => {
  await rig?.close();
  await postgres?.stop();
});

/** Three messages per attempt, over 3 Workspaces and 300 Runs; a Workspace of its own for every attempt would be too easy. */
function manyRows(count: number): string[] {
  const t = tablesOf(1);
  const series = `generate_series(1, ${count}) AS i`;
  return [
    `INSERT INTO ${t.workspace} SELECT w, 'local', 'w' || w, ${count}, 0 FROM generate_series(1, 3) AS w`,
    `INSERT INTO ${t.run} SELECT r, 1 + r % 3, 'RuntimeRun', 'r' || r, ${count} FROM generate_series(1, 300) AS r`,
    `INSERT INTO ${t.message} SELECT 3 * i + k, 1 + i % 3, 3 * i + k, i % 300 + 1, 3 * i + k, CASE k WHEN 0 THEN NULL ELSE 3 * i + 1 END, i, NULL
       FROM ${series} CROSS JOIN generate_series(0, 2) AS k`,
    `INSERT INTO ${t.attempt} SELECT i % 300 + 1, 1 + (i % 300 + 1) % 3, 'call-' || i % 90000, 1 + i / 90000, 'i-' || i, 1, 'q', 'tool-' || i % 50, 'x', 'p', 'x', 'a', NULL,
       NULL, 3 * i, 3 * i + 2, i, NULL, NULL, NULL FROM ${series}`,
    `INSERT INTO ${t.record} SELECT 1 + i % 3, 3 * i + 1, i % 300 + 1, 3 * i + 1, i * 1000::bigint, 'call-' || i % 90000, 'i-' || i, 'tool-' || i % 50,
       'provider-' || i % 20, 'agent-' || i % 40, 'Allowed', i % 10 > 0, i % 10 = 0, i % 100 = 1, '{"evaluations":[]', NULL,
       CASE WHEN i % 7 = 0 THEN 'Failed' ELSE 'Succeeded' END, 3 * i + 2 FROM ${series}`,
    `INSERT INTO ${t.record_outcome} SELECT workspace_key, outcome, workspace_sequence FROM ${t.record}`,
    `INSERT INTO ${t.evaluation} SELECT 1 + i % 3, 3 * i + 1, 0, 'hook-' || i % 30, CASE WHEN i % 2 = 0 THEN 'default/hook-' || i % 30 END, i % 500 + 1,
       'Allowed' FROM ${series}`,
    `INSERT INTO ${t.hour} SELECT 1 + h % 3, h, 3600 * h, 3600 * h + 3599 FROM generate_series(0, ${Math.ceil(count / 3600)}) AS h`,
    `ANALYZE ${Object.values(t).join(', ')}`,
  ];
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
}

/** A reader whose every statement is explained before it runs. */
function explaining(connection = rig.readerDataSource): { reader: ReadModelReader; scans: string[] } {
  const scans: string[] = [];
  const ask = async <Row>(dataSource: DataSource, who: Scope, statement: Statement): Promise<Row[]> => {
    const explain = { ...statement, name: '', text: `EXPLAIN (FORMAT JSON) ${statement.text}` };
    const [explained] = await queryInScope<{ 'QUERY PLAN': [{ Plan: Plan }] }>(dataSource, who, explain);
    collect(explained!['QUERY PLAN'][0].Plan, scans);
    return queryInScope<Row>(dataSource, who, statement);
  };
  return { reader: new ReadModelReader(connection, ask), scans };
}

const large = new Set(['message_1', 'attempt_1', 'record_1', 'record_outcome_1', 'evaluation_1']);
function collect(plan: Plan, scans: string[]): void {
  if (plan['Node Type'] === 'Seq Scan' && large.has(plan['Relation Name'] ?? '')) scans.push(plan['Relation Name']!);
  for (const child of plan.Plans ?? []) collect(child, scans);
}

async function expectIndexed(work: (reader: ReadModelReader) => Promise<unknown>): Promise<void> {
  const { reader, scans } = explaining();
  await work(reader);
  expect(scans).toEqual([]);
}

const filters: [string, RecordFilter][] = [
  ['no filter', {}],
  ['toolCallId', { toolCallId: 'call-3' }],
  ['invocationId', { invocationId: 'i-3' }],
  ['toolId', { toolId: 'tool-3' }],
  ['agentId', { agentId: 'agent-3' }],
  ['providerId', { providerId: 'provider-3' }],
  ['hookId', { hookId: 'hook-3' }],
  ['hookId, a resource', { hookId: 'default/hook-4' }],
  ['hookId, of no hook', { hookId: 'nothing' }],
  ['resourceGeneration', { resourceGeneration: 3 }],
  ['decision allowed', { decision: 'Allowed' }],
  ['decision denied', { decision: 'Denied' }],
  ['decision failed', { decision: 'Failed' }],
  ['outcome', { outcome: 'Failed' }],
  ['outcome running', { outcome: 'Running' }],
  ['from', { from: 100_000 * 1000 }],
  ['to', { to: 1000 * 1000 }],
  ['from and to', { from: 20 * hour, to: 21 * hour }],
  ['many', { toolId: 'tool-3', agentId: 'agent-3', hookId: 'hook-3', decision: 'Allowed', outcome: 'Succeeded', from: hour }],
];

describe('on large tables', () => {
  it('a scan of a whole table would be seen', async () => {
    // By the projector, whom no wall holds: behind it even such a query is one by the key of the Workspace.
    const { reader, scans } = explaining(rig.dataSource);
    await reader.read(scope, (t) => ({
      with: [`page AS (SELECT count(*) AS records FROM ${t.record} WHERE document = 'y')`],
      columns: 'page.records',
      joins: 'LEFT JOIN page ON true',
    }));
    expect(scans).toEqual(['record_1']);
  });

  it.each(filters)(verifies('READ-014', 'records over all Runs with %s are read by an index'), async (_, filter) => {
    await expectIndexed((reader) => listRecords(reader, { scope, filter, limit: 100, withArguments: true }));
    await expectIndexed((reader) => listRecords(reader, { scope, filter, limit: 100, withArguments: false, before: 30_000 }));
  });

  it.each(filters)(verifies('READ-014', 'records of a Run with %s are read by an index'), async (_, filter) => {
    await expectIndexed((reader) => listRunRecords(reader, { run, filter, afterSequence: 0, limit: 100, withArguments: true }));
    await expectIndexed((reader) => listRunRecords(reader, { run, filter, afterSequence: 300_000, limit: 100, withArguments: false }));
  });

  it(verifies('READ-014', 'Tool Calls, events, changes and summaries of an hour are read by an index'), async () => {
    const page = { run, afterSequence: 100_000, limit: 100 };
    await expectIndexed((reader) => listToolCalls(reader, page));
    await expectIndexed((reader) => listRunEvents(reader, { ...page, withArguments: true }));
    await expectIndexed((reader) => listChanges(reader, { scope, filter: {}, after: 200_000, limit: 100, withArguments: false }));
    await expectIndexed((reader) => summariseRecords(reader, { scope, filter: { from: 20 * hour, to: 21 * hour }, bucketMs: hour }));
  });
});
