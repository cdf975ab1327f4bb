import { describe, expect, it } from '@jest/globals';
import { bugs } from '../fault/bugs.ts';
import { verifies } from '../support/verifies.ts';
import { brokenPromises } from './invariants.ts';
import { World, type WorldOptions } from './world.ts';

const schedules = 10_000;
const startSeed = Number(process.env.AGENTSTRATION_SEED ?? 1);

/** Runs one schedule; answers what it broke, with the seed that repeats it. */
async function explore(options: WorldOptions): Promise<readonly string[]> {
  const world = new World(options);
  try {
    await world.run();
    return brokenPromises(world).map((fault) => `seed ${options.seed}: ${fault}`);
  } catch (error) {
    return [`seed ${options.seed}: ${error instanceof Error ? error.message : 'unknown'}`];
  }
}

describe('the gate under every schedule', () => {
  it(
    verifies(
      ['CALL-015', 'GATE-001', 'CALL-010'],
      `keeps its promises over ${schedules} seeded schedules of two executors with deaths, redeliveries and publish faults`,
    ),
    async () => {
      for (let seed = startSeed; seed < startSeed + schedules; seed++) {
        expect(await explore({ seed, faults: true, messages: 1 + (seed % 3) })).toEqual([]);
      }
    },
    120_000,
  );

  it(verifies('CALL-016', 'calls exactly once when nothing goes wrong'), async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const world = new World({ seed, faults: false, messages: 1 });
      await world.run();
      expect(brokenPromises(world)).toEqual([]);
      expect(world.oracle).toHaveLength(world.denied ? 0 : 1);
    }
  });
});

/** Bugs that only a schedule shows; the others are caught by the fault rig. */
const caughtHere = Object.keys(bugs).filter((bug) => bug !== 'swallow_hook_error');

describe('an executor with a deliberate bug', () => {
  it.each(caughtHere)(verifies('RIG-002', 'is caught: it %s'), async (bug) => {
    const sabotage = bugs[bug];
    let caught: readonly string[] = [];
    for (let seed = 1; seed <= 3_000 && caught.length === 0; seed++)
      caught = await explore({ seed, faults: true, messages: 1 + (seed % 3), sabotage });
    expect(caught).not.toEqual([]);
  });
});
