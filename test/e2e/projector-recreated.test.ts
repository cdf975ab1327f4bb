import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { provisionStreams } from '@agentstration/journal';
import { eventually } from '@agentstration/local-servers';
import { jetstreamManager } from '@nats-io/jetstream';
import { attemptFacts } from '../support/facts.ts';
import { verifies } from '../support/verifies.ts';
import { runProjectorCommand } from './projector-command.ts';
import { type ProjectorRig, demo, startProjectorRig } from './projector-rig.ts';

jest.setTimeout(180_000);
const within = 60_000;

let rig: ProjectorRig;
beforeAll(async () => {
  rig = await startProjectorRig();
}, 60_000);
afterAll(() => rig?.stop());

async function publish(runId: string): Promise<number> {
  const attempt = attemptFacts({ runId });
  return rig.publish(demo, attempt.started(), attempt.evaluated(), attempt.completed());
}
const runs = async (): Promise<unknown[]> => (await rig.get('/api/tool-governance')).body.items.map(({ runId }) => runId);

describe('a Journal that was made anew', () => {
  it(verifies(['PROJ-004', 'PROJ-009'], 'halts the projector, which answers from the past until an operator rebuilds'), async () => {
    await rig.get(`/api/tool-governance?waitFor=${await publish('before')}`);
    await (await jetstreamManager(rig.connection)).streams.delete('AGENTSTRATION_JOURNAL');
    await provisionStreams(rig.connection, { replicas: 1, journalMaximumBytes: 256 * 1024 ** 2, ackWaitMs: 10_000 });
    const newest = await publish('after');
    await eventually(async () => expect((await rig.get('/readyz')).text).toContain('halted'), { within });
    expect(await runs()).toEqual(['before']);
    expect(await runProjectorCommand(rig, 'verify')).toEqual({
      code: 1,
      output: expect.stringContaining('made from another Journal than the one that is there now'),
    });
    expect(await runs()).toEqual(['before']);
    const { code, output } = await runProjectorCommand(rig, 'rebuild');
    expect([code, output]).toEqual([0, expect.stringContaining('there is nothing to compare')]);
    await eventually(async () => expect(await runs()).toEqual(['after']), { within });
    await eventually(async () => expect((await rig.get('/readyz')).text).toContain('"projecting"'), { within });
    const next = await publish('next');
    expect(next).toBe(newest + 3);
    await eventually(async () => expect(await runs()).toEqual(['next', 'after']), { within });
  });
});
