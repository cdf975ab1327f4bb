import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { type RunStatus, foldRunStatus } from './fold-run-status.ts';

type Progress = Parameters<typeof foldRunStatus>[1];
const calls = ['call-1', 'call-2'].map((toolCallId) => ({ toolCallId, toolId: 'echo', requestId: 'r' }));
const at = (toolCallId: string, state: Progress[number]['state'], final = true): Progress[number] => ({ toolCallId, state, final });

describe('the status of a run', () => {
  it.each<[string, Progress, RunStatus]>([
    ['no fact yet', [], 'Pending'],
    ['one started', [at('call-1', 'Running', false)], 'Running'],
    ['one ended, one not begun', [at('call-1', 'Succeeded')], 'Running'],
    ['one ended for now', [at('call-1', 'Failed', false), at('call-2', 'Succeeded')], 'Running'],
    ['all succeeded', [at('call-1', 'Succeeded'), at('call-2', 'Succeeded')], 'Succeeded'],
    ['one denied', [at('call-1', 'Denied'), at('call-2', 'Succeeded')], 'Failed'],
    ['one unknown', [at('call-1', 'Succeeded'), at('call-2', 'Unknown')], 'Failed'],
    ['a call that is not of the run', [at('other', 'Succeeded')], 'Running'],
  ])(verifies('RUN-006', '%s'), (_what, progress, status) =>
    expect(foldRunStatus({ cancelledAt: null, toolCalls: calls }, progress)).toBe(status),
  );

  it(verifies('RUN-006', 'cancelled is cancelled'), () => {
    expect(foldRunStatus({ cancelledAt: 'now', toolCalls: calls }, [at('call-1', 'Succeeded')])).toBe('Cancelled');
  });

  it.each<[string, Progress, RunStatus]>([
    ['a call was stopped', [at('call-1', 'Succeeded'), at('call-2', 'Cancelled')], 'Cancelled'],
    ['nobody saw how a call ended', [at('call-1', 'Succeeded'), at('call-2', 'Unknown')], 'Cancelled'],
    ['a call may be tried again', [at('call-1', 'Succeeded'), at('call-2', 'Failed', false)], 'Cancelled'],
    ['all had succeeded', [at('call-1', 'Succeeded'), at('call-2', 'Succeeded')], 'Succeeded'],
    ['one had been denied', [at('call-1', 'Succeeded'), at('call-2', 'Denied')], 'Failed'],
  ])(verifies('RUN-011', 'cancelled, where %s'), (_what, progress, status) =>
    expect(foldRunStatus({ cancelledAt: 'now', toolCalls: calls }, progress)).toBe(status),
  );

  it(verifies('RUN-006', 'the end of a run executed elsewhere is known to its owner alone'), () => {
    expect(foldRunStatus({ cancelledAt: null, toolCalls: [] }, [at('any', 'Succeeded')])).toBe('Running');
  });
});
