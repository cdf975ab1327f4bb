import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../support/verifies.ts';
import { bugs } from './bugs.ts';
import type { Invariant } from './evidence.ts';
import { type Fault, FaultRig } from './fault-rig.ts';
import { toTable } from './fault-table.ts';
import { singleNodeFaults } from './faults.ts';
import { firstSeed, form } from './form.ts';

const faults = singleNodeFaults({ outageMs: form === 'smoke' ? 1_000 : 4_000 });
const faultOf = (name: string): Fault => {
  const fault = faults.find((candidate) => candidate.name === name);
  if (!fault) throw new Error(`There is no fault "${name}".`);
  return fault;
};

/** The shortest fault that shows the bug, and an invariant that it must break. A sound executor withstands each of these faults. */
const shownBy: Readonly<Record<string, readonly [fault: string, invariant: Invariant]>> = {
  swallow_hook_error: ['F9 network slow', 'I1'],
  foreign_workspace: ['F9 network slow', 'I8'],
  call_before_acknowledgement: ['F9 network slow', 'I1'],
  accept_sequence_0: ['F3 lying acknowledgement: sequence 0', 'I1'],
  accept_duplicate: ['F3 lying acknowledgement: duplicate', 'I1'],
  accept_recreated: ['F3 lying acknowledgement: of a recreated stream', 'I1'],
  take_time_out_for_yes: ['F13 facts lost', 'I1'],
  acknowledge_before_terminal: ['F13 facts lost', 'I5'],
  ignore_fence: ['F13 requests come twice at once', 'I7'],
};
/** The quickest ones are shown in every run of the tests. */
const shown = Object.keys(shownBy).slice(0, form === 'smoke' ? 2 : undefined);

describe(`an executor with a deliberate bug, in processes of its own (AGENTSTRATION_SEED=${firstSeed})`, () => {
  let rig: FaultRig;
  const caught: (readonly string[])[] = [];

  beforeAll(async () => {
    rig = await FaultRig.start();
  }, 180_000);
  afterAll(async () => {
    process.stdout.write(`\n${toTable([['bug', 'shown by', 'caught by'], ...caught])}\n`);
    await rig.stop();
  }, 60_000);

  it(verifies('RIG-002', 'is known for every bug'), () => expect(Object.keys(shownBy).sort()).toEqual(Object.keys(bugs).sort()));

  it.each(shown)(
    verifies('RIG-002', 'is caught: %s'),
    async (bug) => {
      const [fault, invariant] = shownBy[bug] as (typeof shownBy)[string];
      for (const executor of [...rig.executors]) await rig.kill(executor);
      await rig.startExecutor({ AGENTSTRATION_BUG: bug });
      const { broken } = await rig.run(faultOf(fault), firstSeed, { patienceMs: 20_000 });
      const by = Object.entries(broken).filter(([, faults]) => faults.length > 0);
      caught.push([bug, fault, by.map(([name, { length }]) => `${name} (${length})`).join(', ') || 'nothing']);
      expect(broken[invariant].length).toBeGreaterThan(0);
    },
    300_000,
  );
});
