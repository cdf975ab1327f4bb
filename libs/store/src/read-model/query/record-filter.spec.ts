import type { Decision } from '@agentstration/contracts';
import type { GovernanceRecord } from '@agentstration/governance';
import { type PostgresServer, startPostgres } from '@agentstration/local-servers';
import { abandoned, allows, attemptFacts, denies, managed } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ReadModelRig, openReadModel, readRunRecords, readRecords } from '../read-model-rig.ts';
import type { RecordFilter } from './record-filter.ts';

const scope = { tenantId: 'local', workspaceId: 'demo' };
const foreign = { tenantId: 'local', workspaceId: 'foreign' };
const run = { ...scope, ownerKind: 'RuntimeRun', runId: 'run-1' } as const;
const hour = 3_600_000;
const start = Date.UTC(2026, 11, 1);

let postgres: PostgresServer;
let rig: ReadModelRig;
let all: readonly GovernanceRecord[];

const chains = [
  [],
  [allows('local')],
  [managed('a', 1), managed('b', 2)],
  [managed('a', 2), managed('b', 1, 'Denied')],
  [managed('b', 1, 'Failed')],
  [allows('default/a'), denies('local')],
];

beforeAll(async () => {
  postgres = await startPostgres();
  rig = await openReadModel(await postgres.createDatabase('filters'));
  for (let index = 0; index < 120; index += 1) {
    const attempt = attemptFacts({
      runId: `run-${index % 3}`,
      toolCallId: `call-${index % 20}`,
      invocationId: `invocation-${index}`,
      toolId: `tool-${index % 4}`,
      agentId: `agent-${index % 5}`,
      providerId: index % 7 === 0 ? null : `provider-${index % 2}`,
    });
    // The clocks of executors differ: facts are not in the order of their times.
    const time = new Date(start + ((index * 37) % 50) * hour * 0.7).toISOString();
    const ends = [attempt.completed(), attempt.failed(), attempt.failed(abandoned)].slice(index % 4, (index % 4) + 1);
    rig.append(scope, attempt.started(), attempt.evaluated(chains[index % chains.length], {}, time), ...ends);
    rig.append(foreign, attempt.started(), attempt.evaluated([managed('foreign', 9)], {}, time), attempt.failed());
  }
  await rig.project(97);
  all = (await readRecords(rig.reader, { scope, filter: {}, limit: 1000, withArguments: true })).items;
});
afterAll(async () => {
  await rig?.close();
  await postgres?.stop();
});

/** The filters, said once more in another language. */
function matches(record: GovernanceRecord, filter: RecordFilter): boolean {
  const same = (['toolCallId', 'invocationId', 'toolId', 'agentId', 'providerId'] as const).every(
    (name) => filter[name] === undefined || record[name] === filter[name],
  );
  const time = Date.parse(record.timestamp);
  const inTime = time >= (filter.from ?? -Infinity) && time < (filter.to ?? Infinity);
  return same && inTime && (filter.outcome ?? record.outcome ?? 'Running') === (record.outcome ?? 'Running') && evaluated(record, filter);
}

function evaluated({ evaluations }: GovernanceRecord, { hookId, resourceGeneration, decision }: RecordFilter): boolean {
  if (hookId === undefined && resourceGeneration === undefined && decision === undefined) return true;
  if (evaluations.length === 0) return decision === 'Allowed' && hookId === undefined && resourceGeneration === undefined;
  return evaluations.some(
    (evaluation) =>
      (hookId === undefined || evaluation.hook.id === hookId || evaluation.hook.resourceId === hookId) &&
      (resourceGeneration === undefined || evaluation.hook.resourceGeneration === resourceGeneration) &&
      (decision === undefined || evaluation.decision === decision),
  );
}

const maybe = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
const filters: fc.Arbitrary<RecordFilter> = fc
  .record({
    toolCallId: maybe('call-3', 'call-4', 'nothing'),
    invocationId: maybe('invocation-3', 'invocation-4'),
    toolId: maybe('tool-0', 'tool-3', 'TOOL-0'),
    agentId: maybe('agent-1', 'agent-3'),
    providerId: maybe('provider-0', 'provider-1'),
    hookId: maybe('default/a', 'managed:default/b', 'local', 'default/foreign'),
    resourceGeneration: maybe(1, 2, 9),
    decision: maybe<Decision>('Allowed', 'Denied', 'Failed'),
    outcome: maybe('Succeeded', 'Failed', 'Unknown', 'Running'),
    from: maybe(start, start + 5.5 * hour, start + 100 * hour),
    to: maybe(start - 1, start + 9.3 * hour, start + 30 * hour),
  } as const)
  .map((filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)));

describe('records', () => {
  it(
    verifies(['READ-002', 'READ-008', 'READ-005'], 'over all Runs are those that match every filter, newest first, in pages'),
    async () => {
      expect(all).toHaveLength(120);
      await fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 1, max: 50 }), async (filter, limit) => {
          const walked: GovernanceRecord[] = [];
          for (let before: number | undefined; ;) {
            const page = await readRecords(rig.reader, {
              scope,
              filter,
              limit,
              withArguments: true,
              ...(before !== undefined && { before }),
            });
            walked.push(...page.items);
            if (page.nextBefore === null) break;
            expect(page.items).toHaveLength(limit);
            before = page.nextBefore;
          }
          expect(walked).toEqual(all.filter((record) => matches(record, filter)));
        }),
        { numRuns: 150 },
      );
    },
  );

  it(verifies(['READ-001', 'READ-002'], 'of a Run are those that match every filter, ascending, in pages'), async () => {
    const ofRun = all.filter(({ runId }) => runId === run.runId).reverse();
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 20 }), async (filter, limit) => {
        const walked: GovernanceRecord[] = [];
        for (let afterSequence: number | null = 0; afterSequence !== null;) {
          const page: { items: GovernanceRecord[]; nextSequence: number | null } = await readRunRecords(rig.reader, {
            run,
            filter,
            afterSequence,
            limit,
            withArguments: true,
          });
          walked.push(...page.items);
          afterSequence = page.nextSequence;
        }
        expect(walked).toEqual(ofRun.filter((record) => matches(record, filter)));
      }),
      { numRuns: 100 },
    );
  });

  it(verifies('READ-002', 'are found by each filter alone, and by each pair'), async () => {
    const each: RecordFilter = {
      toolCallId: 'call-4',
      invocationId: 'invocation-4',
      toolId: 'tool-0',
      agentId: 'agent-4',
      providerId: 'provider-0',
      hookId: 'default/b',
      resourceGeneration: 1,
      decision: 'Failed',
      outcome: 'Succeeded',
      from: start,
      to: start + 100 * hour,
    };
    const names = Object.keys(each) as (keyof RecordFilter)[];
    for (const [index, one] of names.entries()) {
      for (const other of names.slice(index)) {
        const filter = { [one]: each[one], [other]: each[other] } as RecordFilter;
        const { items } = await readRecords(rig.reader, { scope, filter, limit: 1000, withArguments: true });
        expect([filter, items]).toEqual([filter, all.filter((record) => matches(record, filter))]);
        expect(items.length).toBeGreaterThan(0);
      }
    }
    expect((await readRecords(rig.reader, { scope, filter: each, limit: 10, withArguments: false })).items).toMatchObject([
      { invocationId: 'invocation-4' },
    ]);
  });

  it(verifies(['READ-001', 'READ-012'], 'with large arguments come in smaller pages, and all of them come'), async () => {
    const large = { tenantId: 'local', workspaceId: 'large' };
    const json = JSON.stringify({ text: 'x'.repeat(3 * 1024 ** 2) });
    for (let index = 0; index < 9; index += 1) {
      const attempt = attemptFacts({ toolCallId: `call-${index}` });
      rig.append(large, attempt.evaluated([], { arguments: { json, truncated: false, length: json.length } }));
    }
    await rig.project();
    const query = { run: { ...large, ownerKind: 'RuntimeRun', runId: 'run-42' } as const, filter: {}, limit: 100, withArguments: true };
    const first = await readRunRecords(rig.reader, { ...query, afterSequence: 0 });
    expect([first.items.length, first.nextSequence, first.items[5]?.arguments === json]).toEqual([6, 6, true]);
    const second = await readRunRecords(rig.reader, { ...query, afterSequence: 6 });
    expect([second.items.length, second.nextSequence]).toEqual([3, null]);
    const newest = await readRecords(rig.reader, { scope: large, filter: {}, limit: 100, withArguments: true });
    expect([newest.items.length, newest.nextBefore]).toEqual([6, 4]);
    expect((await readRecords(rig.reader, { scope: large, filter: {}, limit: 100, withArguments: false })).items).toHaveLength(9);
  });

  it(verifies('READ-005', 'of a Workspace or Run without messages are none, and it is told'), async () => {
    const nowhere = { tenantId: 'other', workspaceId: 'demo' };
    expect(await readRecords(rig.reader, { scope: nowhere, filter: {}, limit: 10, withArguments: true })).toMatchObject({
      known: false,
      items: [],
    });
    const missing = { ...run, ownerKind: 'FlowRun' } as const;
    const page = await readRunRecords(rig.reader, { run: missing, filter: {}, afterSequence: 0, limit: 10, withArguments: true });
    expect(page).toMatchObject({ known: false, items: [], nextSequence: null, projectedSequence: rig.messages.length });
  });

  it(verifies('READ-008', 'are each walked once while facts arrive'), async () => {
    const seen: number[] = [];
    for (let before: number | undefined; ;) {
      const page = await readRecords(rig.reader, {
        scope,
        filter: { toolId: 'tool-1' },
        limit: 4,
        withArguments: false,
        ...(before && { before }),
      });
      seen.push(...page.items.map(({ workspaceSequence }) => workspaceSequence));
      if (page.nextBefore === null) break;
      before = page.nextBefore;
      const attempt = attemptFacts({ runId: 'late', toolId: 'tool-1' });
      rig.append(scope, attempt.started(), attempt.evaluated());
      await rig.project();
    }
    expect(seen).toEqual(all.filter(({ toolId }) => toolId === 'tool-1').map(({ workspaceSequence }) => workspaceSequence));
  });
});
