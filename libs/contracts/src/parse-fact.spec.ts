import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { type FactName, cloudEventType, errorCodes } from './facts.ts';
import { factSchemas, parseFact } from './parse-fact.ts';

const encode = (document: unknown): Uint8Array =>
  new TextEncoder().encode(typeof document === 'string' ? document : JSON.stringify(document));

const common = {
  ownerKind: 'RuntimeRun',
  runId: 'run-42',
  toolCallId: 'call_9',
  invocationId: '0193f1f4-5a00-7000-8000-000000000001',
  attempt: 1,
  requestId: 'req-1',
  toolId: 'everything.echo',
  toolName: 'echo',
  providerId: 'everything',
  externalToolId: 'echo',
  agentId: 'support-agent',
};
const run = { ownerKind: 'FlowRun', runId: 'run-42' };
const own: Record<FactName, object> = {
  ToolExecutionStarted: common,
  ToolExecutionGovernanceEvaluated: {
    ...common,
    evaluations: [
      { hook: { id: 'budget', order: -5, source: 'Local' }, decision: 'Allowed' },
      {
        hook: { id: 'managed:default/x', order: 100, source: 'Managed', resourceId: 'default/x', resourceGeneration: 3 },
        decision: 'Denied',
        code: 'no',
      },
    ],
    delivery: 'AtLeastOnce',
  },
  ToolExecutionCompleted: { ...common, durationMs: 12.4, toolReportedError: false },
  ToolExecutionFailed: {
    ...common,
    durationMs: 0,
    failureKind: 'Denied',
    outcome: 'Denied',
    errorCode: 'no',
    errorType: 'HookDenied',
    final: true,
  },
  RunCreated: { ...run, agentId: 'a', retryOf: 'run-41' },
  RunCancelled: run,
};
const names = Object.keys(own) as FactName[];
const factOf = (name: FactName, change: object = {}): Record<string, unknown> => ({
  specversion: '1.0',
  id: 'f-1',
  source: 'agentstration/tool-executor/one',
  type: cloudEventType(name),
  subject: 'call_9',
  time: '2026-12-01T00:00:00.000Z',
  datacontenttype: 'application/json',
  data: { ...own[name], ...change },
});

describe('a fact', () => {
  it.each(names)(verifies('WIRE-010', '%s is read'), (name) => {
    expect(parseFact(encode(factOf(name)))).toEqual({ ok: true, fact: factOf(name) });
  });

  it.each(names)(verifies('WIRE-010', '%s is read with fields that a later executor added, at every level'), (name) => {
    const hook = { id: 'x', order: 0, source: 'Local', added: 1 };
    const data = { ...own[name], added: { more: true }, evaluations: [{ hook, decision: 'Allowed', added: 1 }] };
    const fact = { ...factOf(name), extension: 'x', data };
    expect(parseFact(encode(fact))).toEqual({ ok: true, fact });
  });

  it(verifies('WIRE-010', 'says null where the catalogue did not know the tool'), () => {
    const unknown = { toolName: null, providerId: null, externalToolId: null };
    expect(parseFact(encode(factOf('ToolExecutionStarted', unknown))).ok).toBe(true);
  });

  it(verifies('WIRE-010', 'may carry retained arguments with any character'), () => {
    const fact = factOf('ToolExecutionGovernanceEvaluated', { arguments: { json: '{"a":"\u0000😀"}', truncated: false, length: 12 } });
    expect(parseFact(encode(fact))).toEqual({ ok: true, fact });
  });

  it.each(['io.agentstration.ToolExecutionStarted.v2', 'io.agentstration.Unheard.v1', 'constructor', '__proto__'])(
    verifies('WIRE-010', 'of the unknown type %s is refused by its name'),
    (type) =>
      expect(parseFact(encode({ ...factOf('ToolExecutionStarted'), type }))).toEqual({ ok: false, reason: `unknown fact type ${type}` }),
  );

  it.each(['', 'null', '[]', '{', '"x"', '{"type":7}'])(verifies('WIRE-010', 'that is %j is refused'), (text) =>
    expect(parseFact(encode(text))).toEqual({ ok: false, reason: 'not a CloudEvents event' }),
  );

  it.each([
    [
      '/data/decision',
      'ToolExecutionGovernanceEvaluated',
      { evaluations: [{ hook: { id: 'x', order: 0, source: 'Local' }, decision: 'allowed' }] },
    ],
    ['/data/attempt', 'ToolExecutionStarted', { attempt: 0 }],
    ['/data/outcome', 'ToolExecutionFailed', { outcome: 'Succeeded' }],
    ['/data/errorType', 'ToolExecutionFailed', { errorType: 'TypeError' }],
    ['/data/final', 'ToolExecutionFailed', { final: 'yes' }],
    ['/data/delivery', 'ToolExecutionGovernanceEvaluated', { delivery: undefined }],
    ['/data/evaluations', 'ToolExecutionGovernanceEvaluated', { evaluations: undefined }],
  ] as const)(verifies('WIRE-010', 'is refused for a wrong %s'), (pointer, name, change) => {
    const parsed = parseFact(encode(factOf(name, change)));
    expect(parsed).toEqual({ ok: false, reason: expect.stringContaining(pointer.split('/').at(-1) ?? '') });
  });

  it('has a schema for every type, and closed lists of codes without repetition', () => {
    expect(Object.keys(factSchemas).sort()).toEqual(names.map((name) => cloudEventType(name)).sort());
    expect(new Set(errorCodes).size).toBe(errorCodes.length);
  });
});
