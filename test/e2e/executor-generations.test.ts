import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';
import { type Governed, startGoverned } from './executor-rig.ts';
import { hook } from './management-rig.ts';

const updates = 50;
const attempts = 1_000;
const callers = 24;

let governed: Governed;
beforeAll(async () => {
  governed = await startGoverned({
    tools: { ok: {} },
    environment: { Agentstration__ToolExecution__MaximumConcurrencyPerWorkspace: '64' },
  });
  await governed.startExecutor();
}, 60_000);
afterAll(() => governed?.stop());

/** Its code tells which generation governed an attempt. */
const guard = (generation: number) => hook('guard', { configuration: { code: `generation-${generation}`, message: 'Not here.' } });

it(
  verifies(['HOOK-010', 'HOOK-012'], 'two executors never govern an attempt by an older generation than a PUT has answered before it'),
  async () => {
    let { etag } = await governed.call('POST', '/api/toolexecutionhooks', { body: guard(1) });
    let answered = 1;
    let made = 0;
    const governedBy = new Set<number>();

    /** Attempts that begin after `answered` was read. */
    const ask = async (caller: number): Promise<void> => {
      while (made < attempts || answered < updates + 1) {
        const atLeast = answered;
        const { failure } = await governed.requester.call(request(`call-${caller}-${made++}`, 'ok'));
        const generation = Number(failure?.code.replace('generation-', ''));
        expect(generation).toBeGreaterThanOrEqual(atLeast);
        governedBy.add(generation);
      }
    };
    const update = async (): Promise<void> => {
      for (let next = 2; next <= updates + 1; next++) {
        // Spread over the attempts, so that each generation governs some.
        while (made < (attempts / updates) * (next - 1)) await new Promise((resolve) => setTimeout(resolve, 1));
        const put = await governed.call('PUT', '/api/toolexecutionhooks/guard', { body: guard(next), headers: { 'If-Match': etag } });
        expect([put.status, put.body.metadata.generation]).toEqual([200, next]);
        ({ etag } = put);
        answered = next;
      }
    };
    await Promise.all([update(), ...Array.from({ length: callers }, (_, caller) => ask(caller))]);

    expect(made).toBeGreaterThanOrEqual(attempts);
    expect(governedBy.size).toBeGreaterThan(updates / 2);
    const executors = new Set(
      (await governed.requester.journal()).map(({ fact }) => fact.source).filter((source) => /executor/.test(source)),
    );
    expect(executors.size).toBe(2);
    expect(await governed.oracle()).toEqual([]);
  },
  30_000,
);
