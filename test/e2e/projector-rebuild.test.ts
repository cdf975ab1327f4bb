import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { readModelFormat } from '@agentstration/store/read-model';
import { DataSource } from 'typeorm';
import { allows, attemptFacts, managed } from '../support/facts.ts';
import { verifies } from '../support/verifies.ts';
import { runProjectorCommand } from './projector-command.ts';
import { type ProjectorRig, demo, startProjectorRig } from './projector-rig.ts';

// Each command is a process of its own that recomputes everything, on a machine that may have much else to do.
jest.setTimeout(180_000);

let rig: ProjectorRig;
let database: DataSource;
let publishing = true;
let published = 0;
let load: Promise<void>;

beforeAll(async () => {
  rig = await startProjectorRig({ Agentstration__ReadModel__RetentionDays: '3650' });
  database = await new DataSource({ type: 'postgres', url: rig.databaseUrl }).initialize();
  load = publishUntilStopped();
}, 60_000);
afterAll(async () => {
  publishing = false;
  await load;
  await database?.destroy();
  await rig?.stop();
});

/** Facts arrive all the time, as they do in production. */
async function publishUntilStopped(): Promise<void> {
  for (let index = 0; publishing; index += 1) {
    const attempt = attemptFacts({ runId: `run-${index % 5}`, toolCallId: `call-${index}` });
    published = await rig.publish(demo, attempt.started(), attempt.evaluated([allows('a'), managed('b', 2)]), attempt.completed());
    await pause(5);
  }
}

async function projector(command: string): Promise<{ code: number | null; lines: string[] }> {
  const { code, output } = await runProjectorCommand(rig, command);
  return { code, lines: output.trimEnd().split('\n') };
}

const projected = async (): Promise<number> =>
  Number((await rig.get('/api/tool-governance?limit=1')).headers.get('agentstration-projected-sequence'));
const caughtUp = async (): Promise<void> =>
  expect(await rig.get(`/api/tool-governance?limit=1&waitFor=${published}`)).toMatchObject({ status: 200 });

describe('an operator, under load,', () => {
  it(verifies('PROJ-010', 'verifies that the read model equals the Journal'), async () => {
    await caughtUp();
    const { code, lines } = await projector('verify');
    expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/^read model equals the journal up to sequence \d+$/)]);
    expect((await projector('generations')).lines).toEqual([
      expect.stringMatching(new RegExp(`^1\tactive\tformat ${readModelFormat}\tsequence \\d+\tmade `)),
    ]);
  });

  it(verifies('PROJ-010', 'finds one flipped byte'), async () => {
    await database.query(
      `UPDATE read_model.message_1 SET payload = set_byte(payload, 20, (get_byte(payload, 20) + 1) % 256) WHERE journal_sequence = 3`,
    );
    const { code, lines } = await projector('verify');
    expect([code, lines.slice(-2)]).toEqual([
      1,
      [expect.stringMatching(/^read model DIFFERS from the journal up to sequence \d+$/), 'message: 1 row differs: journal_sequence=3'],
    ]);
  });

  it(verifies(['PROJ-009', 'PROJ-005'], 'mends it by a rebuild, while the position never goes back'), async () => {
    const positions: number[] = [];
    let rebuilding = true;
    const watching = (async () => {
      while (rebuilding) positions.push(await projected());
    })();
    const { code, lines } = await projector('rebuild');
    await pause(3000);
    rebuilding = false;
    await watching;
    expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/^generation \d+ answers now; generation 1 is kept/)]);
    expect(lines).toContain('message: 1 row differs: journal_sequence=3');
    expect(positions).toEqual([...positions].sort((left, right) => left - right));
    await caughtUp();
    expect((await projector('verify')).lines.at(-1)).toMatch(/^read model equals the journal/);
  });

  it(verifies('PROJ-009', 'goes back to the generation before, which catches up'), async () => {
    expect((await projector('back')).lines).toEqual([expect.stringMatching(/^generation 1 answers now, from sequence \d+ on$/)]);
    await caughtUp();
    expect((await projector('drop')).lines).toEqual(['']);
    expect((await projector('retain')).lines).toEqual(['nothing is old enough']);
    expect(await projector('nonsense')).toMatchObject({ code: 1 });
  });
});
