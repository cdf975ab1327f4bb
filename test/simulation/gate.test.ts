import { describe, expect, it } from '@jest/globals';
import { type ExecutorParts, executeToolCall } from '@agentstration/tool-executor/testing';
import { bugs } from '../fault/bugs.ts';
import { ExecutorRig, type RigOptions, localHook, request } from '../support/executor-rig.ts';
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

/** Found by a schedule that happens to show them. */
const foundBySchedule = [
  'call_before_acknowledgement',
  'accept_sequence_0',
  'accept_duplicate',
  'take_time_out_for_yes',
  'acknowledge_before_terminal',
  'ignore_fence',
] as const;

/** Found where one thing goes wrong with two calls: what the sound executor, and only it, withstands. */
const foundByOneFault: Readonly<Record<string, RigOptions & { readonly calls: number }>> = {
  // The Journal is made anew between the first call, which has three facts, and the second.
  accept_recreated: { calls: 1, journal: { fault: (_append, index) => (index === 3 ? 'recreated' : undefined) } },
  swallow_hook_error: {
    calls: 0,
    hooks: [
      localHook('broken', () => {
        throw new Error('broken');
      }),
    ],
  },
};

/** The simulation has one Workspace: what mixes up several is for the rig with real processes. */
const foundByRealProcesses = ['foreign_workspace'];

describe('an executor with a deliberate bug', () => {
  it(verifies('RIG-002', 'exists for every bug'), () => {
    expect([...foundBySchedule, ...Object.keys(foundByOneFault), ...foundByRealProcesses].sort()).toEqual(Object.keys(bugs).sort());
  });

  it.each(foundBySchedule)(verifies('RIG-002', 'is caught: %s'), async (bug) => {
    const sabotage = bugs[bug];
    let caught: readonly string[] = [];
    for (let seed = 1; seed <= 3_000 && caught.length === 0; seed++)
      caught = await explore({ seed, faults: true, messages: 1 + (seed % 3), sabotage });
    expect(caught).not.toEqual([]);
  });

  it.each(Object.entries(foundByOneFault))(verifies('RIG-002', 'is caught: %s'), async (bug, options) => {
    const call = async (sabotage?: (parts: ExecutorParts) => ExecutorParts): Promise<number> => {
      const rig = new ExecutorRig(options);
      const parts = sabotage?.(rig.parts) ?? rig.parts;
      for (const toolCallId of ['call_1', 'call_2'])
        await executeToolCall(parts, rig.delivery({ request: request({ toolCallId }), queuePosition: `queue:${toolCallId}` }));
      return rig.providers.invocations.length;
    };
    expect(await call()).toBe(options.calls);
    expect(await call(bugs[bug])).toBe(2);
  });
});
