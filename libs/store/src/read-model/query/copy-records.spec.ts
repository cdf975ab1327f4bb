import type { GovernanceRecord } from '@agentstration/governance';
import { type PostgresServer, startPostgres } from '@agentstration/local-servers';
import { attemptFacts, denies, managed } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ReadModelRig, openReadModel } from '../read-model-rig.ts';
import { RecordLines, copyRecords } from './copy-records.ts';
import { listRecords } from './list-records.ts';

const scope = { tenantId: 'local', workspaceId: 'demo' };
const foreign = { tenantId: 'local', workspaceId: 'foreign' };
/** What breaks formats: quotes, escapes, separators of ours and of theirs, halves of a character, and nothing. */
const hard = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\r', '\t', '\0', '\u0001', '\u0002', ',', '=', '\ud800', '\udc00', '\ue000', '\u{1F600}'),
  }),
);
const samples = fc.sample(fc.record({ toolName: hard, externalToolId: hard, json: hard, retained: fc.boolean() }), {
  numRuns: 120,
  seed: 7,
});

let postgres: PostgresServer;
let rig: ReadModelRig;
beforeAll(async () => {
  postgres = await startPostgres();
  rig = await openReadModel(await postgres.createDatabase('copy'));
  samples.forEach(({ toolName, externalToolId, json, retained }, index) => {
    const attempt = attemptFacts({ toolCallId: `call-${index}`, invocationId: `i-${index}`, toolName, externalToolId });
    const kept = retained ? { arguments: { json, truncated: index % 3 === 0, length: json.length } } : {};
    const chain = index % 2 === 0 ? [managed('a', 1)] : [denies('b', 'no')];
    rig.append(scope, attempt.started(), attempt.evaluated(chain, kept), ...(index % 4 === 0 ? [] : [attempt.completed()]));
    rig.append(foreign, attempt.started(), attempt.evaluated());
  });
  await rig.project();
});
afterAll(async () => {
  await rig?.close();
  await postgres?.stop();
});

/** All pages of a copy, as one text. */
async function copyAll(query: { readonly limit: number; readonly withArguments: boolean; readonly filter?: object }): Promise<string> {
  const lines = new RecordLines();
  const pieces: string[] = [];
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null;) {
    before = await copyRecords(rig.reader, { scope, filter: {}, ...query, before }, lines);
    pieces.push(...lines.pieces.map((piece) => piece.toString('utf8')));
  }
  return pieces.join('');
}
const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);

describe('copied records', () => {
  it.each([true, false])(
    verifies('READ-012', 'are the bytes that a list answers, whatever is in them (arguments: %s)'),
    async (withArguments) => {
      const listed = await listRecords(rig.reader, { scope, filter: {}, limit: 1000, withArguments });
      const lines = linesOf(await copyAll({ limit: 7, withArguments }));
      expect(lines).toHaveLength(samples.length);
      expect(lines.join(',')).toBe(listed.text);
    },
  );

  it(verifies(['READ-012', 'PROJ-011'], 'hold what the facts said, each on one line of strict JSON'), async () => {
    const records = linesOf(await copyAll({ limit: 50, withArguments: true })).map((line) => {
      expect(JSON.stringify(JSON.parse(line))).toBe(line);
      return JSON.parse(line) as GovernanceRecord;
    });
    const expected = samples.map(({ toolName, externalToolId, json, retained }) => ({
      toolName,
      externalToolId,
      arguments: retained ? json : null,
    }));
    expect(
      records.map(({ toolName, externalToolId, arguments: text }) => ({ toolName, externalToolId, arguments: text })).reverse(),
    ).toEqual(expected);
  });

  it(verifies('READ-005', 'are of the own workspace, and of the filter, whatever the filter says'), async () => {
    for (const toolCallId of [`call-3`, `call-3' OR 'a' = 'a`, `call-3\\`, `\0`, `'; DROP TABLE read_model.record_1; --`]) {
      const lines = linesOf(await copyAll({ limit: 10, withArguments: true, filter: { toolCallId } }));
      expect([toolCallId, lines.length]).toEqual([toolCallId, toolCallId === 'call-3' ? 1 : 0]);
    }
  });
});
