import type { NewRun, OutboxMessage, StoredRun } from '@agentstration/store';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import type { RetainedText } from '../runs/run-ports.ts';
import { type RetryOrder, type RetryRunPorts, retryRun } from './retry-run.ts';

const key = { tenantId: 'acme', workspaceId: 'demo', ownerKind: 'RuntimeRun', runId: 'run-1' } as const;
const original: StoredRun = {
  ...key,
  ...{ agentId: 'support', principalId: 'bob', persistToolArguments: true, retryOf: null },
  toolCalls: ['lookup', 'echo'].map((toolId, index) => ({ toolCallId: `call-${index + 1}`, toolId, requestId: `r${index}` })),
  ...{ createdAt: '', cancelledAt: null, cancelledBy: null, position: '1' },
};

function rig(retained: Record<string, RetainedText>, run: StoredRun | null = original) {
  const written: { run: NewRun; messages: readonly OutboxMessage[] }[] = [];
  let ids = 0;
  const ports: RetryRunPorts = {
    runs: {
      get: () => Promise.resolve(run ?? undefined),
      create: (made, messages) => (
        written.push({ run: made, messages }),
        Promise.resolve({ kind: 'created', run: { ...original, ...made } })
      ),
    },
    progress: { retainedArguments: () => Promise.resolve(new Map(Object.entries(retained))) },
    newId: () => `id-${(ids += 1)}`,
    stamp: () => ({ id: 'f', time: '2026-12-01T00:00:00.000Z', source: 's' }),
    maximumRequestBytes: () => 10_000,
    nudge: () => undefined,
  };
  const retry = (order: RetryOrder = {}) => retryRun(ports, key, { order, by: 'ada' });
  const sent = () => written[0]?.messages.slice(1).map(({ payload }) => (JSON.parse(payload) as { arguments: unknown }).arguments);
  return { retry, written, sent };
}

const whole = (json: string): RetainedText => ({ json, truncated: false });

describe('retry a run', () => {
  it(verifies(['RUN-003', 'RUN-004'], 'copies calls, agent and execution options, with what was retained'), async () => {
    const { retry, written, sent } = rig({ 'call-1': whole('{"q":1}'), 'call-2': whole('{}') });
    await retry();
    expect(written[0]?.run).toMatchObject({ agentId: 'support', persistToolArguments: true, retryOf: 'run-1', principalId: 'ada' });
    expect(written[0]?.run.runId).not.toBe('run-1');
    expect(written[0]?.run.toolCalls.map(({ toolId }) => toolId)).toEqual(['lookup', 'echo']);
    expect(sent()).toEqual([{ q: 1 }, {}]);
  });

  it(verifies('RUN-004', 'what was cut or never kept must be given'), async () => {
    const { retry, written } = rig({ 'call-1': { json: '{"q":"a\n… [truncated]', truncated: true } });
    await expect(retry()).rejects.toMatchObject({ code: 'arguments_not_retained', detail: expect.stringMatching(/call-1, call-2/) });
    expect(written).toEqual([]);
  });

  it(verifies('RUN-004', 'given ones win, by name or by place'), async () => {
    const named = rig({ 'call-1': whole('{"q":1}') });
    await named.retry({ toolCalls: [{ toolCallId: 'call-2', arguments: { b: 2 } }] });
    expect(named.sent()).toEqual([{ q: 1 }, { b: 2 }]);

    const placed = rig({});
    await placed.retry({ toolCalls: [{ toolId: 'lookup', arguments: { a: 1 } }, { arguments: { b: 2 } }] });
    expect(placed.sent()).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it(verifies('RUN-004', 'a retry calls no other tools'), async () => {
    const { retry } = rig({});
    const toolCalls = [{ toolId: 'other', arguments: {} }, { arguments: {} }, { arguments: {} }, { toolCallId: 'nope', arguments: {} }];
    const errors = ['/toolCalls/0/toolId', '/toolCalls/2', '/toolCalls/3'].map(
      (pointer) => expect.objectContaining({ pointer }) as unknown,
    );
    await expect(retry({ toolCalls })).rejects.toMatchObject({ code: 'invalid_definition', extras: { errors } });
  });

  it(verifies('RUN-004', 'a run that is unknown or executed elsewhere has nothing to retry'), async () => {
    const elsewhere = { ...original, toolCalls: [] };
    await expect(rig({}, elsewhere).retry()).rejects.toMatchObject({ code: 'conflict' });
    await expect(rig({}, null).retry()).rejects.toMatchObject({ code: 'run_not_found' });
  });
});
