import { expect } from '@jest/globals';
import { type ToolCallKey, toolCallJournalSubject } from '@agentstration/contracts';
import { type AppendOutcome, type Journal, encodeFact } from '@agentstration/governance';
import fc from 'fast-check';
import { sampleCall, sampleFact } from './sample-facts.ts';

/** One append: who writes to which call, and whether the writer looks first or trusts what it remembers. */
interface Step {
  readonly writer: number;
  readonly call: number;
  readonly looks: boolean;
}

interface Try {
  readonly id: string;
  readonly call: ToolCallKey;
  readonly fence: number;
  readonly outcome: AppendOutcome;
}

const writers = 4;
const calls = 3;
const step: fc.Arbitrary<Step> = fc.record({ writer: fc.nat(writers - 1), call: fc.nat(calls - 1), looks: fc.boolean() });
/** The steps of a round are under way at the same time. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 });

/**
 * Any interleaving of fenced appends leaves, for each call, one chain without a gap, in which every place was won by
 * exactly one append: the one that was acknowledged.
 */
export async function appendsFromSeveralWriters(journals: readonly Journal[], runs: number): Promise<void> {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(history, async (rounds) => {
      round += 1;
      const keys = Array.from({ length: calls }, (_, number) => sampleCall(number, { runId: `generated-${round}` }));
      const tries = await play(journals, keys, rounds);
      for (const key of keys) await check(journals[0]!, key, tries);
    }),
    { numRuns: runs },
  );
}

async function play(journals: readonly Journal[], keys: readonly ToolCallKey[], rounds: readonly (readonly Step[])[]): Promise<Try[]> {
  const remembered = new Map<string, number>();
  const tries: Try[] = [];
  for (const steps of rounds)
    tries.push(
      ...(await Promise.all(
        steps.map(async ({ writer, call, looks }, index) => {
          const key = keys[call]!;
          const journal = journals[writer % journals.length]!;
          const subject = toolCallJournalSubject(key);
          const memory = `${writer} ${subject}`;
          const fence = looks ? ((await journal.readLast(subject))?.sequence ?? 0) : (remembered.get(memory) ?? 0);
          const id = `${tries.length}-${index}`;
          const outcome = await journal.append({ subject, payload: encodeFact(sampleFact(key, id)), expectedLastSequence: fence });
          if (outcome.kind === 'acknowledged') remembered.set(memory, outcome.acknowledgement.sequence);
          return { id, call: key, fence, outcome };
        }),
      )),
    );
  return tries;
}

async function check(journal: Journal, call: ToolCallKey, tries: readonly Try[]): Promise<void> {
  const facts = await journal.readToolCall(call);
  expect(facts.map(({ previousSequence }) => previousSequence)).toEqual(
    [0, ...facts.map(({ sequence }) => sequence)].slice(0, facts.length),
  );
  const own = tries.filter((attempt) => attempt.call === call);
  const won = own.flatMap(({ id, fence, outcome }) =>
    outcome.kind === 'acknowledged' ? [{ id, fence, sequence: outcome.acknowledgement.sequence }] : [],
  );
  const stored = facts.map(({ fact, previousSequence, sequence }) => ({ id: fact.id, fence: previousSequence, sequence }));
  expect(won.sort((left, right) => left.sequence - right.sequence)).toEqual(stored);
  const lost = own.filter(({ outcome }) => outcome.kind !== 'acknowledged');
  for (const { outcome } of lost) expect(outcome).toMatchObject({ kind: 'refused', reason: 'wrong_last_sequence' });
}
