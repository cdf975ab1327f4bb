import { describe, expect, it } from '@jest/globals';
import { type ExecutorParts } from '@agentstration/tool-executor/testing';
import { decodeFact } from '@agentstration/governance';
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

type Sabotage = NonNullable<WorldOptions['sabotage']>;

const isGovernance = (payload: Uint8Array): boolean => decodeFact(payload)?.type.includes('Governance') === true;

/** Executors with a deliberate bug. */
const bugs: Readonly<Record<string, Sabotage>> = {
  'calls before the acknowledgement': (parts, world) => ({
    ...parts,
    journal: wrap(parts, async (append, send) => {
      if (!isGovernance(append.payload)) return send(append);
      void send(append);
      return good(world.journal.messages.length + 1_000);
    }),
  }),
  'accepts sequence 0': (parts, world) => ({
    ...parts,
    journal: wrap(parts, async (append, send) => {
      const outcome = await send(append);
      return outcome.kind === 'acknowledged' && outcome.acknowledgement.sequence === 0
        ? good(world.journal.messages.length + 1_000)
        : outcome;
    }),
  }),
  'accepts a duplicate': (parts, world) => ({
    ...parts,
    journal: wrap(parts, async (append, send) => {
      const outcome = await send(append);
      return outcome.kind === 'acknowledged' && outcome.acknowledgement.duplicate ? good(world.journal.messages.length + 1_000) : outcome;
    }),
  }),
  'takes a time-out for a yes': (parts, world) => ({
    ...parts,
    journal: wrap(parts, async (append, send) => {
      const outcome = await send(append);
      return outcome.kind === 'unknown' ? good(world.journal.messages.length + 1_000) : outcome;
    }),
  }),
  'ignores the fence': (parts, world) => ({
    ...parts,
    journal: wrap(parts, (append, send) => send({ ...append, expectedLastSequence: world.journal.messages.at(-1)?.sequence ?? 0 })),
  }),
};

type Send = ExecutorParts['journal']['append'];
type Appended = Parameters<Send>[0];

const wrap = ({ journal }: ExecutorParts, append: (append: Appended, send: Send) => ReturnType<Send>): ExecutorParts['journal'] => ({
  append: (given) => append(given, (sent) => journal.append(sent)),
  readLast: (subject) => journal.readLast(subject),
  readToolCall: (call) => journal.readToolCall(call),
});

const good = (sequence: number): Awaited<ReturnType<Send>> => ({
  kind: 'acknowledged',
  acknowledgement: { stream: 'AGENTSTRATION_JOURNAL', sequence, duplicate: false, floor: 0 },
});

describe('an executor with a deliberate bug', () => {
  it.each(Object.keys(bugs))(verifies('RIG-002', 'is caught: it %s'), async (bug) => {
    const sabotage = bugs[bug] as Sabotage;
    let caught: readonly string[] = [];
    for (let seed = 1; seed <= 3_000 && caught.length === 0; seed++)
      caught = await explore({ seed, faults: true, messages: 1 + (seed % 3), sabotage });
    expect(caught).not.toEqual([]);
  });
});
