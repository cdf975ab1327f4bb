import type { Fact, RunKey } from '@agentstration/contracts';
import { type Numbered, foldRun, toToolCalls } from '@agentstration/governance';
import { type PostgresServer, startPostgres } from '@agentstration/local-servers';
import { abandoned, allows, attemptFacts, denies, managed, runFact } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { listDeadLetters } from '../query/list-dead-letters.ts';
import { listRetainedArguments } from '../query/list-retained-arguments.ts';
import { listRunEvents } from '../query/list-run-events.ts';
import { listToolCalls } from '../query/list-tool-calls.ts';
import { ReadModelReader } from '../query/read-model-reader.ts';
import { type ReadModelRig, openReadModel, rigOwner, rigStream, readRunRecords } from '../read-model-rig.ts';
import { applyBatch } from './apply-batch.ts';
import { readCheckpoint, releaseLease, takeLease } from './checkpoint.ts';

let postgres: PostgresServer;
let databases = 0;
beforeAll(async () => (postgres = await startPostgres()));
afterAll(() => postgres?.stop());

async function withReadModel(work: (rig: ReadModelRig) => Promise<void>): Promise<void> {
  const rig = await openReadModel(await postgres.createDatabase(`read_model_${(databases += 1)}`));
  try {
    await work(rig);
  } finally {
    await rig.close();
  }
}

const scope = { tenantId: 'local', workspaceId: 'demo' };
const run: RunKey = { ...scope, ownerKind: 'RuntimeRun', runId: 'run-42' };
const page = { run, afterSequence: 0, limit: 200 };

/** What the read model must say: the fold of the Run's messages, numbered by subject. */
function expected(rig: ReadModelRig) {
  let workspaceSequence = 0;
  let sequence = 0;
  const facts: Numbered[] = [];
  for (const message of rig.messages) {
    if (message.scope?.workspaceId !== scope.workspaceId) continue;
    workspaceSequence += 1;
    if (message.position?.runId !== run.runId || message.position.ownerKind !== run.ownerKind) continue;
    sequence += 1;
    if (message.fact) facts.push({ sequence, workspaceSequence, fact: message.fact });
  }
  const fold = foldRun(facts);
  return { records: [...fold.records.values()].sort((a, b) => a.sequence - b.sequence), calls: toToolCalls(fold), facts };
}

async function expectFold(rig: ReadModelRig): Promise<void> {
  const { records, calls, facts } = expected(rig);
  const found = await readRunRecords(rig.reader, { ...page, filter: {}, withArguments: true });
  expect(found).toMatchObject({ known: true, projectedSequence: rig.messages.length, nextSequence: null });
  expect(found.items).toEqual(records);
  expect((await listToolCalls(rig.reader, page)).items).toEqual(calls);
  const events = await listRunEvents(rig.reader, { ...page, withArguments: true });
  expect(events.items.filter(({ fact }) => fact !== null)).toEqual(facts.map((numbered) => ({ ...numbered, unreadable: null })));
}

const anyFact: fc.Arbitrary<Fact> = fc
  .record({ toolCallId: fc.constantFrom('a', 'b'), invocationId: fc.constantFrom('1', '2', '3'), which: fc.nat({ max: 7 }) })
  .map(({ which, ...identity }) => {
    const attempt = attemptFacts(identity);
    return [
      attempt.started(),
      attempt.evaluated(),
      attempt.evaluated([managed('m', 2), allows('local', 1)], { arguments: { json: '{"a":"\\u0000"}', truncated: false, length: 14 } }),
      attempt.evaluated([denies('d\0')]),
      attempt.completed(),
      attempt.failed(),
      attempt.failed(abandoned),
      runFact('RunCreated'),
    ][which]!;
  });

describe('a projected batch', () => {
  it(verifies(['PROJ-001', 'PROJ-012'], 'is the ordered fold, however the facts fall into batches'), () =>
    withReadModel(async (rig) => {
      rig.append(scope, runFact('RunCreated'));
      await rig.project();
      await fc.assert(
        fc.asyncProperty(fc.array(anyFact, { minLength: 1, maxLength: 12 }), fc.integer({ min: 1, max: 5 }), async (facts, size) => {
          rig.append(scope, ...facts);
          await rig.project(size);
          await expectFold(rig);
        }),
        { numRuns: 12, endOnFailure: true },
      );
    }),
  );

  it(verifies('PROJ-012', 'of 100 facts of one call gives what 100 batches of one do'), () =>
    withReadModel(async (rig) => {
      const facts = Array.from({ length: 25 }, (_, index) => attemptFacts({ invocationId: `i-${index}`, attempt: index + 1 })).flatMap(
        (attempt) => [attempt.started(), attempt.evaluated([allows('a')]), attempt.failed(abandoned), attempt.completed()],
      );
      rig.append(scope, ...facts);
      await rig.project(100);
      await expectFold(rig);
      rig.append(scope, ...facts.map((fact) => ({ ...fact, data: { ...fact.data, toolCallId: 'other' } }) as Fact));
      await rig.project(1);
      await expectFold(rig);
    }),
  );

  it(verifies(['PROJ-002', 'PROJ-012'], 'that is delivered again, in part or whole, changes nothing'), () =>
    withReadModel(async (rig) => {
      const attempt = attemptFacts();
      rig.append(scope, attempt.started(), attempt.evaluated(), attempt.completed());
      await rig.project(2);
      const batch = { generation: 1, owner: rigOwner, streamCreated: rigStream };
      expect(await applyBatch(rig.dataSource, { ...batch, messages: rig.messages.slice(0, 2) })).toBe(3);
      rig.append(scope, attempt.failed());
      expect(await applyBatch(rig.dataSource, { ...batch, messages: rig.messages.slice(1) })).toBe(4);
      await expectFold(rig);
    }),
  );

  it(verifies('PROJ-005', 'counts every message of Run and Workspace by its subject, readable or not'), () =>
    withReadModel(async (rig) => {
      const attempt = attemptFacts();
      const other = { tenantId: 'local', workspaceId: 'other' };
      const subject = 'agentstration.journal.v1.local.demo.runtime.run-42.call_9';
      rig.append(other, attempt.started());
      rig.append(
        scope,
        attempt.started(),
        { subject, text: 'poison' },
        { subject: 'agentstration.journal.v1.local.demo.weird', text: '{}' },
      );
      rig.append(
        scope,
        attemptFacts({ runId: 'another' }).started(),
        { subject: 'agentstration.journal.v1.nothing', text: '' },
        attempt.evaluated(),
      );
      await rig.project(3);
      const { items } = await listRunEvents(rig.reader, { ...page, withArguments: true });
      expect(items.map(({ sequence, workspaceSequence, unreadable }) => [sequence, workspaceSequence, unreadable])).toEqual([
        [1, 1, null],
        [2, 2, 'not a CloudEvents event'],
        [3, 5, null],
      ]);
      await expectFold(rig);
    }),
  );

  it(verifies('PROJ-007', 'sets poison aside with its position and reason, and goes on'), () =>
    withReadModel(async (rig) => {
      const attempt = attemptFacts();
      const future = { ...attempt.started(), type: 'io.agentstration.ToolExecutionStarted.v2' };
      // A valid fact that no row can hold: it fails in the database, and only there.
      const unstorable = attemptFacts({ toolCallId: 'huge', attempt: 1e15 });
      rig.append(
        scope,
        attempt.started(),
        { subject: rigSubject, text: JSON.stringify(future) },
        unstorable.started(),
        attempt.evaluated(),
      );
      await rig.project();
      const { items } = await listDeadLetters(rig.reader, { scope, afterSequence: 0, limit: 10 });
      expect(items).toMatchObject([
        {
          journalSequence: 2,
          workspaceSequence: 2,
          subject: rigSubject,
          reason: 'unknown fact type io.agentstration.ToolExecutionStarted.v2',
        },
        { journalSequence: 3, workspaceSequence: 3, reason: 'cannot be projected (22003)' },
      ]);
      expect(items[0]).toMatchObject({ size: JSON.stringify(future).length, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
      const records = await readRunRecords(rig.reader, { ...page, filter: {}, withArguments: false });
      expect(records.items).toMatchObject([{ sequence: 4, workspaceSequence: 4, decision: 'Allowed' }]);
      expect(await readCheckpoint(rig.dataSource, 1)).toMatchObject({ sequence: 4, streamCreated: rigStream });
    }),
  );

  it(verifies('PROJ-011', 'keeps U+0000, lone surrogates and 4-byte characters in names and arguments exactly'), () =>
    withReadModel(async (rig) => {
      const odd = 'a\0\ud800"\\{},\u{1F600}\ue000';
      const json = JSON.stringify({ message: odd });
      const attempt = attemptFacts({ toolName: odd, externalToolId: odd, providerId: odd, toolId: odd });
      rig.append(
        scope,
        attempt.started(),
        attempt.evaluated([denies(odd)], { arguments: { json, truncated: false, length: json.length } }),
      );
      await rig.project();
      const [record] = (await readRunRecords(rig.reader, { ...page, filter: { toolId: odd, hookId: odd }, withArguments: true })).items;
      expect(record).toMatchObject({
        toolName: odd,
        externalToolId: odd,
        providerId: odd,
        toolId: odd,
        arguments: json,
        evaluations: [denies(odd)],
      });
      await expectFold(rig);
    }),
  );

  it('tells the management API where the calls of a Run stand, and the newest arguments that were retained', () =>
    withReadModel(async (rig) => {
      const retained = (json: string, truncated = false) => ({ arguments: { json, truncated, length: json.length } });
      const [first, second, other] = [1, 2, 3].map((attempt) => attemptFacts({ invocationId: `i-${attempt}`, attempt }));
      rig.append(
        scope,
        first!.evaluated([], retained('{"a":1}')),
        second!.evaluated([], retained('{"a":"\\u0000"}', true)),
        other!.started(),
      );
      await rig.project();
      const reader = new ReadModelReader(rig.apiDataSource);
      expect(await listRetainedArguments(reader, run)).toEqual(new Map([['call_9', { json: '{"a":"\\u0000"}', truncated: true }]]));
      expect((await listToolCalls(reader, page)).items).toMatchObject([{ toolCallId: 'call_9', state: 'Running', attempts: 3 }]);
      expect(await listRetainedArguments(reader, { ...run, runId: 'other' })).toEqual(new Map());
      await expect(rig.apiDataSource.query('DELETE FROM read_model.record_1')).rejects.toThrow('permission denied');
    }));

  it(verifies('PROJ-004', 'with a gap, or of another Journal, changes nothing'), () =>
    withReadModel(async (rig) => {
      const attempt = attemptFacts();
      rig.append(scope, attempt.started(), attempt.evaluated(), attempt.completed());
      const batch = { generation: 1, owner: rigOwner, streamCreated: rigStream };
      await applyBatch(rig.dataSource, { ...batch, messages: rig.messages.slice(0, 1) });
      await expect(applyBatch(rig.dataSource, { ...batch, messages: rig.messages.slice(2) })).rejects.toMatchObject({ kind: 'gap' });
      const recreated = { ...batch, streamCreated: '2026-12-02T00:00:00Z', messages: rig.messages.slice(1) };
      await expect(applyBatch(rig.dataSource, recreated)).rejects.toMatchObject({ kind: 'recreated' });
      expect(await readCheckpoint(rig.dataSource, 1)).toMatchObject({ sequence: 1, streamCreated: rigStream });
    }),
  );

  it(verifies('PROJ-003', 'is refused to a projector that does not hold the lease'), () =>
    withReadModel(async (rig) => {
      rig.append(scope, attemptFacts().started());
      const lease = { generation: 1, owner: 'standby' };
      expect(await takeLease(rig.dataSource, lease)).toBe(false);
      const batch = { ...lease, streamCreated: rigStream, messages: rig.messages };
      await expect(applyBatch(rig.dataSource, batch)).rejects.toMatchObject({ name: 'LeaseLost' });
      await releaseLease(rig.dataSource, { generation: 1, owner: rigOwner });
      expect(await takeLease(rig.dataSource, lease)).toBe(true);
      expect(await applyBatch(rig.dataSource, batch)).toBe(1);
    }),
  );
});

const rigSubject = 'agentstration.journal.v1.local.demo.runtime.run-42.call_9';
