import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import fc from 'fast-check';
import { parseToolRequest } from './parse-tool-request.ts';

const encode = (document: unknown): Uint8Array =>
  new TextEncoder().encode(typeof document === 'string' ? document : JSON.stringify(document));

const request = {
  requestId: 'req-1',
  toolCallId: 'call_9',
  run: { ownerKind: 'RuntimeRun', runId: 'run-42' },
  toolId: 'everything.echo',
  agentId: 'support-agent',
  arguments: { message: 'hello' },
  agentVersion: 3,
  agentGeneration: 5,
  agentRevisionId: 'rev-7',
  principalId: 'alice',
  correlationId: 'corr-1',
  timeoutMs: 60_000,
  deadline: '2026-12-01T00:00:00Z',
};
const identities = { ownerKind: 'RuntimeRun', runId: 'run-42', toolCallId: 'call_9', requestId: 'req-1' };

/** Stands for a secret: it must come back from nowhere. */
const canary = 'canary-7f3a';

/** Reads a request that must be refused. */
function refusalOf(document: unknown): { reason: string; identities: object } {
  const parsed = parseToolRequest(encode(document));
  if (parsed.ok) throw new Error('was accepted');
  return { reason: parsed.reason, identities: parsed.identities };
}

describe('a tool request', () => {
  it(verifies('WIRE-006', 'is read with all its properties'), () => {
    expect(parseToolRequest(encode(request))).toEqual({ ok: true, request });
  });

  it(verifies('WIRE-006', 'needs only what identifies it'), () => {
    const { toolCallId, run, toolId, agentId } = request;
    expect(parseToolRequest(encode({ toolCallId, run, toolId, agentId }))).toMatchObject({ ok: true });
  });

  it.each(['call_9', 'toolu_01', 'functions.lookup:0', 'x'.repeat(128)])(verifies('WIRE-001', 'may be identified by %s'), (toolCallId) => {
    expect(parseToolRequest(encode({ ...request, toolCallId }))).toMatchObject({ ok: true });
  });

  it.each(['toolCallId', 'run', 'toolId', 'agentId'])(verifies('WIRE-006', 'without %s is refused'), (property) => {
    expect(refusalOf({ ...request, [property]: undefined }).reason).toBe(`/${property} is required`);
  });

  it.each(['tenantId', 'workspaceId'])(verifies('WIRE-007', 'that carries %s is refused'), (property) => {
    expect(refusalOf({ ...request, [property]: canary })).toEqual({ reason: `/${property} is not a known property`, identities });
  });

  it.each<[string, unknown]>([
    ['/run/tenantId', { run: { ...request.run, tenantId: canary } }],
    ['/run/ownerKind', { run: { ownerKind: canary, runId: 'run-42' } }],
    ['/run/ownerKind', { run: { ownerKind: 'runtime', runId: 'run-42' } }],
    ['/run/runId', { run: { ownerKind: 'RuntimeRun', runId: `${canary} ` } }],
    ['/run/runId', { run: { ownerKind: 'RuntimeRun' } }],
    ['/run', { run: canary }],
    ['/run', { run: null }],
    ['/toolCallId', { toolCallId: 7 }],
    ['/toolCallId', { toolCallId: '..' }],
    ['/toolCallId', { toolCallId: '.' }],
    ['/toolCallId', { toolCallId: '' }],
    ['/toolCallId', { toolCallId: canary.repeat(12) }],
    ['/requestId', { requestId: `${canary}\n` }],
    ['/requestId', { requestId: null }],
    ['/toolId', { toolId: '' }],
    ['/toolId', { toolId: canary.repeat(40) }],
    ['/agentId', { agentId: `${canary} ` }],
    ['/agentId', { agentId: '..' }],
    ['/arguments', { arguments: [canary] }],
    ['/arguments', { arguments: canary }],
    ['/arguments', { arguments: null }],
    ['/agentVersion', { agentVersion: 1.5 }],
    ['/agentGeneration', { agentGeneration: -1 }],
    ['/agentRevisionId', { agentRevisionId: ['x'] }],
    ['/principalId', { principalId: 'ä' }],
    ['/correlationId', { correlationId: { a: canary } }],
    ['/timeoutMs', { timeoutMs: 99 }],
    ['/timeoutMs', { timeoutMs: 3_600_001 }],
    ['/timeoutMs', { timeoutMs: '60000' }],
    ['/deadline', { deadline: canary }],
    ['/deadline', { deadline: '2026-12-01' }],
    ['/deadline', { deadline: '2026-12-01T00:00:00' }],
    ['/deadline', { deadline: '2026-02-29T00:00:00Z' }],
    ['/deadline', { deadline: '2026-12-01T25:00:00Z' }],
    ['/deadline', { deadline: '2016-12-31T23:59:60Z' }],
    ['/deadline', { deadline: 1_796_083_200 }],
    [`/toolcallid`, { toolcallid: 'call_9' }],
  ])(verifies('WIRE-006', 'is refused for a wrong %s, whose value is not told: %j'), (pointer, change) => {
    const { reason } = refusalOf({ ...request, ...(change as object) });
    expect(reason.split('; ').every((fault) => fault.startsWith(`${pointer} `))).toBe(true);
    expect(reason).not.toContain(canary);
  });

  it(verifies('WIRE-006', 'names every fault at once'), () => {
    const { reason } = refusalOf({ run: { ownerKind: 'x' }, toolId: '', timeoutMs: 1, extra: 1 });
    const told = ['/toolCallId', '/run/runId', '/run/ownerKind', '/toolId', '/agentId', '/timeoutMs', '/extra'];
    expect(told.filter((pointer) => !reason.includes(`${pointer} `))).toEqual([]);
  });

  it.each([
    ['not JSON', '{"toolCallId":', 'Not JSON'],
    ['nothing', '', 'Not JSON'],
    ['an array', '[]', 'the request must be object'],
    ['a string', '"x"', 'the request must be object'],
    ['null', 'null', 'the request must be object'],
    ['a duplicate key', JSON.stringify(request).replace('{', '{"toolId":"a",'), 'Duplicate key at /toolId'],
    ['two documents', '{}{}', 'Not JSON'],
  ])(verifies('WIRE-006', 'that is %s is refused'), (_, text, reason) => expect(refusalOf(text).reason).toContain(reason));

  it('that is not UTF-8 is refused', () => {
    expect(parseToolRequest(new Uint8Array([0x7b, 0xff, 0x7d]))).toMatchObject({ ok: false, reason: expect.stringContaining('not UTF-8') });
  });

  it('has a deadline that a clock can name', () => {
    const deadlines = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') }).map((date) => date.toISOString());
    fc.assert(fc.property(deadlines, (deadline) => parseToolRequest(encode({ ...request, deadline })).ok));
    for (const deadline of ['2026-12-01T00:00:00.123456789+14:00', '2026-12-01t00:00:00z']) {
      expect(parseToolRequest(encode({ ...request, deadline })).ok).toBe(true);
      expect(Date.parse(deadline)).not.toBeNaN();
    }
  });
});

describe('a malformed request', () => {
  it(verifies('WIRE-008', 'yields the identities that are valid, and no others'), () => {
    expect(refusalOf({ ...request, extra: 1 }).identities).toEqual(identities);
    expect(refusalOf({ toolCallId: 'a b', run: { ownerKind: 'x', runId: '..' }, requestId: 'req-1' }).identities).toEqual({
      requestId: 'req-1',
    });
    const tooDeep = { ...request, arguments: { a: JSON.parse('['.repeat(90) + ']'.repeat(90)) as unknown } };
    expect(refusalOf(tooDeep)).toEqual({ reason: 'Nesting is deeper than 64 inside /arguments', identities });
    expect(refusalOf([]).identities).toEqual({});
    expect(refusalOf('{').identities).toEqual({});
    expect(refusalOf({ run: [], toolCallId: null }).identities).toEqual({});
  });

  it.each([
    ['a number that a double would change', '{"id":9007199254740993}'],
    ['a duplicate key', '{"a":1,"a":2}'],
    ['a lone surrogate', '{"a":"\\ud800"}'],
  ])(verifies('WIRE-008', 'yields them also when %s stands in its arguments'), (_, inner) => {
    const text = JSON.stringify({ ...request, arguments: 0 }).replace('"arguments":0', `"arguments":${inner}`);
    expect(refusalOf(text).identities).toEqual(identities);
  });

  it(verifies('WIRE-008', 'yields none when they are ambiguous'), () => {
    const text = JSON.stringify(request).replace('{', '{"toolCallId":"other",');
    expect(refusalOf(text).identities).toEqual({});
  });

  it.each([
    ['duplicate', `{"${canary}":1,"${canary}":2}`],
    ['nested duplicate', `{"a":[{"${canary}":1,"${canary}":2}]}`],
    ['unreadable number', `{"${canary}":1e999}`],
    ['lone surrogate', `{"${canary}":"\\ud800"}`],
    ['too deep', `{"${canary}":${'['.repeat(64)}${']'.repeat(64)}}`],
  ])(verifies('WIRE-009', 'tells no name of its arguments: %s'), (_, inner) => {
    const { reason } = refusalOf(`{"arguments":${inner}}`);
    expect(reason).toContain('/arguments');
    expect(reason).not.toContain(canary);
  });

  it(verifies('WIRE-009', 'is told in few words, however much is wrong'), () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 1]));
    expect(refusalOf(many).reason).toMatch(/and \d+ more faults$/);
    expect(refusalOf(many).reason.length).toBeLessThan(4_097);
    expect(refusalOf({ ['😀'.repeat(200_000)]: 1 }).reason.length).toBeLessThan(4_097);
    expect(refusalOf({ ['😀'.repeat(200_000)]: 1 }).reason.isWellFormed()).toBe(true);
  });

  it(verifies('WIRE-009', 'never tells a value, whatever it is'), () => {
    const documents = fc.dictionary(
      fc.constantFrom(...Object.keys(request), 'other'),
      fc.constantFrom<unknown>(canary, [canary], { a: canary }, `${canary} `),
    );
    fc.assert(
      fc.property(documents, (document) => {
        const parsed = parseToolRequest(encode(document));
        return !parsed.ok && !parsed.reason.includes(canary);
      }),
    );
  });
});
