import { parseFact, parseToolRequest } from '@agentstration/contracts';
import type { NewRun, OutboxMessage, StoredRun } from '@agentstration/store';
import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { type CreateRunPorts, type RunOrder, createRun } from './create-run.ts';

const scope = { tenantId: 'acme', workspaceId: 'demo' };
const bytes = (message: OutboxMessage | undefined): Uint8Array => new TextEncoder().encode(message?.payload);

function rig(taken = false) {
  const written: { run: NewRun; messages: readonly OutboxMessage[] }[] = [];
  let ids = 0;
  let nudges = 0;
  const stored = (run: NewRun): StoredRun => ({ ...run, createdAt: '', cancelledAt: null, cancelledBy: null, position: '1' });
  const ports: CreateRunPorts = {
    runs: {
      create: (run, messages) => {
        written.push({ run, messages });
        return Promise.resolve({ kind: taken ? 'already_exists' : 'created', run: stored(run) });
      },
    },
    newId: () => `id-${(ids += 1)}`,
    stamp: () => ({ id: `fact-${(ids += 1)}`, time: '2026-12-01T00:00:00.000Z', source: 'agentstration/management-api/test' }),
    maximumRequestBytes: () => 1000,
    nudge: () => (nudges += 1),
  };
  const create = (order: RunOrder) => createRun(ports, { scope, order, by: 'ada' });
  return { create, written, nudges: () => nudges };
}

describe('create a run', () => {
  it(verifies(['RUN-001', 'RUN-008'], 'writes the run, its fact and one request per call, arguments in the requests alone'), async () => {
    const { create, written, nudges } = rig();
    await create({ agentId: 'support', toolCalls: [{ toolId: 'crm.lookup', arguments: { q: 'CANARY' } }, { toolId: 'echo' }] });

    const [{ run, messages } = { run: undefined, messages: [] }] = written;
    expect(run).toMatchObject({
      ownerKind: 'RuntimeRun',
      agentId: 'support',
      principalId: 'ada',
      persistToolArguments: null,
      retryOf: null,
    });
    expect(JSON.stringify(run)).not.toContain('CANARY');
    expect(messages.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['fact', `agentstration.journal.v1.acme.demo.runtime.${run?.runId}`],
      ['tool-request', 'agentstration.tools.v1.acme.demo.request'],
      ['tool-request', 'agentstration.tools.v1.acme.demo.request'],
    ]);
    expect(parseFact(bytes(messages[0]))).toMatchObject({
      ok: true,
      fact: { type: 'io.agentstration.RunCreated.v1', data: { agentId: 'support' } },
    });
    expect(messages[0]?.payload).not.toContain('CANARY');
    expect(parseToolRequest(bytes(messages[1]))).toMatchObject({
      ok: true,
      request: {
        requestId: messages[1]?.messageId,
        toolCallId: 'call-1',
        toolId: 'crm.lookup',
        arguments: { q: 'CANARY' },
        principalId: 'ada',
      },
    });
    expect(parseToolRequest(bytes(messages[2]))).toMatchObject({ ok: true, request: { toolCallId: 'call-2', arguments: {} } });
    expect(nudges()).toBe(1);
  });

  it(verifies('RUN-002', 'registers a run that is executed elsewhere: its fact alone'), async () => {
    const { create, written } = rig();
    await create({ ownerKind: 'FlowRun', runId: 'flow-1', execution: { persistToolArguments: false } });
    expect(written[0]?.run).toMatchObject({
      ownerKind: 'FlowRun',
      runId: 'flow-1',
      agentId: null,
      persistToolArguments: false,
      toolCalls: [],
    });
    expect(written[0]?.messages.map(({ kind }) => kind)).toEqual(['fact']);
  });

  it.each([null, true, false])(verifies('RUN-003', 'retention %s is kept'), async (persistToolArguments) => {
    const { create, written } = rig();
    await create({ agentId: 'a', toolCalls: [{ toolId: 't' }], execution: { persistToolArguments } });
    expect(written[0]?.run.persistToolArguments).toBe(persistToolArguments);
  });

  it(verifies('RUN-010', 'refuses arguments that no request can carry'), async () => {
    const { create, written } = rig();
    const toolCalls = [{ toolId: 't' }, { toolId: 't', arguments: { a: 'x'.repeat(1000) } }];
    const errors = [expect.objectContaining({ pointer: '/toolCalls/1/arguments', code: 'too_large' }) as unknown];
    await expect(create({ agentId: 'a', toolCalls })).rejects.toMatchObject({ code: 'invalid_definition', extras: { errors } });
    expect(written).toEqual([]);
  });

  it(verifies('RUN-010', 'the same runId twice is a conflict'), async () => {
    await expect(rig(true).create({ ownerKind: 'FlowRun', runId: 'flow-1' })).rejects.toMatchObject({ code: 'already_exists' });
  });
});
