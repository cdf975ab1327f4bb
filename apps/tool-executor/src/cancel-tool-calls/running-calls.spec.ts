import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { RunningCalls } from './running-calls.ts';

const scope = { tenantId: 'acme', workspaceId: 'support' };
const run = { ownerKind: 'RuntimeRun', runId: 'run-1' } as const;
const call = { ...scope, ...run, toolCallId: 'call-1' };
const minute = 60_000;

describe('the calls that run', () => {
  const at = { now: 1_000_000 };
  const isCancelled = (calls: RunningCalls, own: Partial<Parameters<RunningCalls['enter']>[0]> = {}): boolean =>
    calls.enter({ ...call, askedAt: 1_000_000, ...own }).signal.aborted;
  const make = (): RunningCalls => {
    at.now = 1_000_000;
    return new RunningCalls(() => at.now);
  };

  it.each([
    ['the call', { ...run, toolCallId: 'call-1' }],
    ['its Run', run],
  ])(verifies(['CALL-014', 'CALL-020'], 'are cancelled while they run, and before they run again: %s'), (_what, cancel) => {
    const calls = make();
    const running = calls.enter({ ...call, askedAt: at.now });
    expect(running.signal.aborted).toBe(false);
    expect(calls.cancel(scope, cancel)).toBe(1);
    expect(running.signal.aborted).toBe(true);
    running.leave();
    at.now += 90 * minute;
    expect(isCancelled(calls)).toBe(true);
  });

  it(verifies('CALL-020', 'are not cancelled by what was cancelled before they were asked for, or long ago'), () => {
    const calls = make();
    calls.cancel(scope, { ...run, toolCallId: 'call-1' });
    expect(isCancelled(calls, { askedAt: at.now + 1 })).toBe(false);
    at.now += 150 * minute;
    expect(isCancelled(calls)).toBe(false);
  });

  it(verifies('CALL-020', 'are not cancelled by the cancellation of another call, Run, owner kind or Workspace'), () => {
    const calls = make();
    calls.cancel(scope, { ...run, toolCallId: 'call-2' });
    calls.cancel(scope, { ...run, runId: 'run-2' });
    calls.cancel(scope, { ...run, ownerKind: 'FlowRun' });
    calls.cancel({ ...scope, workspaceId: 'other' }, run);
    expect(isCancelled(calls)).toBe(false);
  });

  it('are remembered as cancelled within bounds: one Workspace makes no other forget', () => {
    const calls = make();
    calls.cancel(scope, run);
    const flood = (workspaceId: string) =>
      Array.from({ length: 1_000 }, (_, index) => calls.cancel({ ...scope, workspaceId }, { ...run, runId: `r${index}` }));
    flood('other');
    expect(isCancelled(calls)).toBe(true);
    flood('support');
    expect(isCancelled(calls)).toBe(false);
  });
});
