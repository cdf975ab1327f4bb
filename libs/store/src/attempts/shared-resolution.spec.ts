import { describe, expect, it } from '@jest/globals';
import type { AttemptQuery } from '@agentstration/governance';
import { verifies } from '@agentstration/test/verifies';
import fc from 'fast-check';
import { type Batch, SharedResolution } from './shared-resolution.ts';

const query = (agentId: string, workspaceId = 'w'): AttemptQuery => ({
  tenantId: 't',
  workspaceId,
  ownerKind: 'RuntimeRun',
  runId: 'r',
  toolId: 'x',
  agentId,
});

interface Started {
  readonly batch: Batch;
  readonly at: number;
  finish(): void;
  fail(error: Error): void;
}

/** A database whose queries end when the test says so. */
function controlled() {
  let clock = 0;
  const started: Started[] = [];
  const resolveAll = (batch: Batch): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const answers = batch.map(({ agentId, workspaceId }) => `${workspaceId}:${agentId}`);
      started.push({ batch, at: (clock += 1), finish: () => resolve(answers), fail: reject });
    });
  return { started, resolveAll, now: () => (clock += 1) };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('attempts that share a resolution', () => {
  it(verifies('STORE-034', 'never join a query that started before they arrived, whatever the interleaving'), async () => {
    const steps = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant('arrive' as const) }, fc.nat(5)), { minLength: 5, maxLength: 60 });
    const limits = fc.record({ queries: fc.integer({ min: 1, max: 4 }), attempts: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(steps, limits, async (actions, limit) => {
        const { started, resolveAll, now } = controlled();
        const shared = new SharedResolution(resolveAll, limit);
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
            answers.push(shared.resolve(query(String(arrivals.length - 1))));
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
          expect(batch.length).toBeLessThanOrEqual(limit.attempts);
          for (const { agentId } of batch) expect(at).toBeGreaterThan(arrivals[Number(agentId)]!);
        }
      }),
      { numRuns: 200 },
    );
  });

  it(verifies('STORE-034', 'are of one workspace, and fail with their own query alone'), async () => {
    const { started, resolveAll } = controlled();
    const shared = new SharedResolution(resolveAll, { queries: 1, attempts: 8 });
    const first = shared.resolve(query('a'));
    const [second, third] = [shared.resolve(query('b')), shared.resolve(query('c'))];
    const elsewhere = shared.resolve(query('d', 'other'));
    expect(started.map(({ batch }) => batch.map(({ agentId }) => agentId))).toEqual([['a'], ['d']]);
    started[0]!.fail(new Error('lost'));
    await expect(first).rejects.toThrow('lost');
    await settle();
    expect(started[2]!.batch.map(({ agentId }) => agentId)).toEqual(['b', 'c']);
    started[2]!.finish();
    started[1]!.finish();
    expect(await Promise.all([second, third, elsewhere])).toEqual(['w:b', 'w:c', 'other:d']);
  });
});
