import type { Fact } from '@agentstration/contracts';
import { abandoned, attemptFacts, denies, managed, runFact } from '@agentstration/test/facts';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type TracedAttempt, evolveAttempt } from './traced-attempt.ts';
import { type RunFold, attemptKey, evolveRecord, foldRun, isToolFact, toToolCalls } from './fold-run.ts';
import type { GovernanceRecord } from './governance-record.ts';
import type { Numbered } from './numbered-fact.ts';

/** Any facts of a few calls and attempts in any order, legal or not. */
const facts: fc.Arbitrary<Fact> = fc
  .record({ toolCallId: fc.constantFrom('a', 'b'), invocationId: fc.constantFrom('1', '2', '3'), which: fc.nat({ max: 6 }) })
  .map(({ which, ...identity }) => {
    const attempt = attemptFacts(identity);
    return [
      attempt.started(),
      attempt.evaluated(),
      attempt.evaluated([managed('m', 2), denies('d')]),
      attempt.completed(),
      attempt.failed(),
      attempt.failed(abandoned),
      runFact('RunCancelled'),
    ][which]!;
  });

const runs = fc
  .array(facts, { maxLength: 40 })
  .map((list): Numbered[] => list.map((fact, index) => ({ sequence: index + 1, workspaceSequence: 2 * index + 7, fact })));

const plain = (fold: RunFold) => ({ attempts: [...fold.attempts], records: [...fold.records], calls: toToolCalls(fold) });

describe('the fold of a Run', () => {
  it(verifies('PROJ-001', 'of a prefix, continued with the rest, is the fold of all'), () => {
    fc.assert(
      fc.property(runs, fc.nat(), (run, at) => {
        const cut = run.length === 0 ? 0 : at % run.length;
        expect(plain(foldRun(run.slice(cut), foldRun(run.slice(0, cut))))).toEqual(plain(foldRun(run)));
      }),
    );
  });

  it('row by row, with only the rows of one attempt at hand, is the fold of all', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const attempts = new Map<string, TracedAttempt>();
        const records = new Map<string, GovernanceRecord>();
        for (const numbered of run.filter(isToolFact)) {
          const key = attemptKey(numbered.fact.data);
          const attempt = evolveAttempt(attempts.get(key), numbered);
          const record = evolveRecord(records.get(key), attempt, numbered);
          attempts.set(key, attempt);
          if (record) records.set(key, record);
        }
        expect(plain({ attempts, records })).toEqual(plain(foldRun(run)));
      }),
    );
  });

  it(verifies('PROJ-006', 'lets the first terminal fact of an attempt stand, whatever follows'), () => {
    fc.assert(
      fc.property(runs, fc.array(facts, { maxLength: 10 }), (run, later) => {
        const before = foldRun(run);
        const after = foldRun(
          later.map((fact, index) => ({ sequence: 100 + index, workspaceSequence: 1000 + index, fact })),
          before,
        );
        for (const [key, { ending }] of before.attempts) if (ending) expect(after.attempts.get(key)?.ending).toEqual(ending);
      }),
    );
  });

  it('has one record per attempt with a governance fact, and one entry per Tool Call', () => {
    fc.assert(
      fc.property(runs, (run) => {
        const fold = foldRun(run);
        for (const [key, attempt] of fold.attempts) {
          expect(fold.records.get(key)?.workspaceSequence ?? null).toBe(attempt.governance?.workspaceSequence ?? null);
          if (attempt.governance) expect(fold.records.get(key)?.outcome).toBe(attempt.ending?.outcome ?? null);
        }
        expect(new Set(toToolCalls(fold).map(({ toolCallId }) => toolCallId)).size).toBe(toToolCalls(fold).length);
      }),
    );
  });
});
