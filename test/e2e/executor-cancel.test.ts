import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ToolRequest, ToolResult } from '@agentstration/contracts';
import { eventually } from '@agentstration/local-servers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from '../support/system/requester.ts';
import { verifies } from '../support/verifies.ts';
import { type Governed, startGoverned } from './executor-rig.ts';

const waitingHook = join(import.meta.dirname, '../support/hooks/wait.mjs');

let governed: Governed;
beforeAll(async () => {
  governed = await startGoverned({
    tools: { ok: {}, slow: { retry: { maxAttempts: 3, backoffMs: 100 } }, hang: { retry: { maxAttempts: 5, backoffMs: 1_500 } } },
    environment: {
      Agentstration__ToolExecution__LocalHookModules: JSON.stringify([waitingHook]),
      Agentstration__ToolExecution__MaximumConcurrencyPerWorkspace: '1',
    },
  });
}, 60_000);
afterAll(() => governed?.stop());

const executed = async (asked: ToolRequest): Promise<number> =>
  (await governed.oracle()).filter(({ arguments: given }) => given?.['mark'] === asked.toolCallId).length;
const ask = async (toolCallId: string, tool: string, own: Partial<ToolRequest> = {}): Promise<ToolRequest> => {
  const asked = request(toolCallId, tool, { ...own, arguments: { ...own.arguments, mark: toolCallId } });
  await governed.requester.publish(asked);
  return asked;
};
const cancel = ({ run, toolCallId }: ToolRequest): void => governed.requester.cancel({ ...run, toolCallId });
const result = (asked: ToolRequest): Promise<ToolResult> => governed.requester.result(asked);
const story = ({ toolCallId }: ToolRequest): Promise<string> => governed.requester.story(toolCallId);
const started = async (asked: ToolRequest): Promise<void> =>
  eventually(async () => expect(await story(asked)).toMatch(/^Started/), { within: 5_000, every: 5 });

describe('calls that wait behind a full share', () => {
  it(verifies(['CALL-014', 'CALL-018'], 'do not start once their Run is cancelled'), async () => {
    const run = { ownerKind: 'FlowRun', runId: 'cancelled-run' } as const;
    await governed.call('POST', '/api/runs', { body: run });
    const before = await ask('before', 'slow', { arguments: { ms: 700 } });
    await started(before);
    const waiting = [await ask('waits-1', 'ok', { run }), await ask('waits-2', 'ok', { run })];
    const other = await ask('of-another-run', 'ok');
    expect((await governed.call('POST', '/api/runs/flow/cancelled-run/cancel')).status).toBe(202);
    for (const asked of waiting) {
      expect(await result(asked)).toMatchObject({
        outcome: 'Cancelled',
        invocationId: null,
        failure: { kind: 'Cancelled', code: 'run_cancelled' },
      });
      expect([await story(asked), await executed(asked)]).toEqual(['', 0]);
    }
    expect(await result(other)).toMatchObject({ outcome: 'Succeeded' });
    expect(await result(before)).toMatchObject({ outcome: 'Succeeded' });
  });

  it(verifies('CALL-013', 'do not start once their deadline has passed'), async () => {
    const before = await ask('before-deadline', 'slow', { arguments: { ms: 700 } });
    await started(before);
    const late = await ask('late', 'ok', { deadline: new Date(Date.now() + 200).toISOString() });
    expect(await result(late)).toMatchObject({
      outcome: 'Failed',
      invocationId: null,
      failure: { kind: 'Rejected', code: 'deadline_exceeded' },
    });
    expect([await story(late), await executed(late)]).toEqual(['', 0]);
  });
});

describe('a cancelled call', () => {
  it(verifies('CALL-014', 'during a hook is traced and never called'), async () => {
    const asked = await ask('in-hook', 'ok', { arguments: { hookMs: 400 } });
    await started(asked);
    cancel(asked);
    expect(await result(asked)).toMatchObject({ outcome: 'Cancelled', failure: { kind: 'Cancelled', code: 'cancelled' } });
    expect([await story(asked), await executed(asked)]).toEqual(['Started Governance Failed:cancelled', 0]);
  });

  it(
    verifies(['CALL-014', 'CALL-018'], 'around the provider’s answer has one outcome, recorded and told alike, and is not repeated'),
    async () => {
      const outcomes = new Set<string>();
      for (const [index, offsetMs] of [-60, -20, -10, -5, 0, 5, 10, 60].entries()) {
        const asked = await ask(`around-${index}`, 'slow', { arguments: { ms: 200 } });
        await eventually(async () => expect(await executed(asked)).toBe(1), { within: 5_000, every: 1 });
        await delay(200 + offsetMs);
        cancel(asked);
        const { outcome, failure } = await result(asked);
        outcomes.add(outcome);
        const cancelled = outcome === 'Unknown' && failure?.kind === 'Cancelled';
        expect(cancelled || outcome === 'Succeeded').toBe(true);
        expect(await story(asked)).toBe(`Started Governance ${cancelled ? 'Failed:cancelled' : 'Completed'}`);
        expect(await executed(asked)).toBe(1);
      }
      expect(outcomes).toEqual(new Set(['Unknown', 'Succeeded']));
    },
  );
});

describe('a call that waits for its next attempt', () => {
  it(verifies(['CALL-014', 'CALL-020'], 'is not attempted again once it is cancelled, whichever executor has it then'), async () => {
    await governed.startExecutor();
    const asked = await ask('between', 'hang', { timeoutMs: 300 });
    const first = 'Started Governance Failed:provider_timeout';
    await eventually(async () => expect(await story(asked)).toBe(first), { within: 5_000, every: 5 });
    cancel(asked);
    expect(await result(asked)).toMatchObject({
      outcome: 'Cancelled',
      invocationId: null,
      failure: { kind: 'Cancelled', code: 'cancelled' },
    });
    expect([await story(asked), await executed(asked)]).toEqual([first, 1]);
    // Who asks anew wants the call.
    const again = await ask('between', 'hang', { timeoutMs: 300, requestId: 'anew' });
    await eventually(async () => expect(await executed(again)).toBe(2), { within: 5_000 });
    cancel(again);
  });
});
