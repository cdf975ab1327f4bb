import { describe, expect, it } from '@jest/globals';
import type { Scope } from '@agentstration/contracts';
import { verifies } from '@agentstration/test/verifies';
import fc from 'fast-check';
import { type Batch, SharedReads } from './shared-reads.ts';

interface Question extends Scope {
  readonly about: string;
}
const question = (about: string, workspaceId = 'w'): Question => ({ tenantId: 't', workspaceId, about });

interface Started {
  readonly batch: Batch<Question>;
  readonly at: number;
  finish(): void;
  fail(error: Error): void;
}

/** A database whose queries end when the test says so. */
function controlled() {
  let clock = 0;
  const started: Started[] = [];
  const answerAll = (batch: Batch<Question>): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const answers = batch.map(({ about, workspaceId }) => `${workspaceId}:${about}`);
      started.push({ batch, at: (clock += 1), finish: () => resolve(answers), fail: reject });
    });
  return { started, answerAll, now: () => (clock += 1) };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('questions that share a query', () => {
  it(verifies('STORE-034', 'never join a query that started before they arrived, whatever the interleaving'), async () => {
    const steps = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant('arrive' as const) }, fc.nat(5)), { minLength: 5, maxLength: 60 });
    const limits = fc.record({ queries: fc.integer({ min: 1, max: 4 }), questions: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(steps, limits, async (actions, limit) => {
        const { started, answerAll, now } = controlled();
        const shared = new SharedReads(answerAll, limit);
        const arrivals: number[] = [];
        const answers: Promise<string>[] = [];
        const open = new Set<Started>();
        let seen = 0;
        const look = async (): Promise<void> => {
          await settle();
          for (; seen < started.length; seen += 1) open.add(started[seen]!);
          expect(open.size).toBeLessThanOrEqual(limit.queries);
        };
        const finish = (index: number): void => {
          const ended = [...open][index % Math.max(open.size, 1)];
          if (ended && open.delete(ended)) ended.finish();
        };
        for (const action of actions) {
          if (action === 'arrive') {
            arrivals.push(now());
            answers.push(shared.ask(question(String(arrivals.length - 1))));
          } else finish(action);
          if (action !== 'arrive' || arrivals.length % 2 === 0) await look();
        }
        await look();
        while (open.size > 0) {
          finish(0);
          await look();
        }
        expect(await Promise.all(answers)).toEqual(arrivals.map((_, index) => `w:${index}`));
        for (const { batch, at } of started) {
          expect(batch.length).toBeLessThanOrEqual(limit.questions);
          for (const { about } of batch) expect(at).toBeGreaterThan(arrivals[Number(about)]!);
        }
      }),
      { numRuns: 200 },
    );
  });

  it(verifies('STORE-034', 'are of one workspace, and fail with their own query alone'), async () => {
    const { started, answerAll } = controlled();
    const shared = new SharedReads(answerAll, { queries: 1, questions: 8 });
    const first = shared.ask(question('a'));
    const [second, third] = [shared.ask(question('b')), shared.ask(question('c'))];
    const elsewhere = shared.ask(question('d', 'other'));
    expect(started.map(({ batch }) => batch.map(({ about }) => about))).toEqual([['a'], ['d']]);
    started[0]!.fail(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    await settle();
    expect(started[2]!.batch.map(({ about }) => about)).toEqual(['b', 'c']);
    started[2]!.finish();
    started[1]!.finish();
    expect(await Promise.all([second, third, elsewhere])).toEqual(['w:b', 'w:c', 'other:d']);
  });

  it(verifies('STORE-034', 'wait for the query of their line, however many other lines have ended meanwhile'), async () => {
    const { started, answerAll } = controlled();
    const shared = new SharedReads(answerAll, { queries: 1, questions: 5 });
    const first = shared.ask(question('first'));
    for (let other = 0; other < 300; other += 1) {
      const answer = shared.ask(question('x', `other-${other}`));
      started.at(-1)!.finish();
      await answer;
    }
    const later = shared.ask(question('later'));
    expect(started).toHaveLength(301);
    started[0]!.finish();
    await first;
    await settle();
    expect(started).toHaveLength(302);
    started.at(-1)!.finish();
    expect(await later).toBe('w:later');
  });
});
