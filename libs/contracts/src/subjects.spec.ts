import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import fc from 'fast-check';
import { type OwnerKind, patterns } from './identities.ts';
import * as subjects from './subjects.ts';

const scope = { tenantId: 'acme', workspaceId: 'demo' };
const call = { ...scope, ownerKind: 'RuntimeRun', runId: 'run-42', toolCallId: 'functions.lookup:0' } as const;

const ids = fc.stringMatching(new RegExp(patterns.id));
const scopeIds = fc.stringMatching(new RegExp(patterns.scopeId));
const runs = fc.record({
  tenantId: scopeIds,
  workspaceId: scopeIds,
  ownerKind: fc.constantFrom<OwnerKind>('RuntimeRun', 'FlowRun'),
  runId: ids,
});
const calls = fc.tuple(runs, ids).map(([run, toolCallId]) => ({ ...run, toolCallId }));

describe('subject tokens', () => {
  it.each([
    ['call_9', 'call_9'],
    ['functions.lookup:0', 'functions%2Elookup%3A0'],
    ['*', '%2A'],
    ['>', '%3E'],
    ['%2E', '%252E'],
    ['a/b', 'a%2Fb'],
    ['ä', '%C3%A4'],
    ['a b', 'a%20b'],
  ])(verifies('WIRE-002', '%j is %s'), (id, token) => {
    expect(subjects.encodeToken(id)).toBe(token);
    expect(subjects.decodeToken(token)).toBe(id);
  });

  it.each(['a.b', 'a%2eb', '%61', 'a b', '%', '%zz', '%FF', '%C3', 'ä', '*', '>', '', '%2'])(
    verifies('WIRE-002', '%j is not canonical and is no token'),
    (token) => expect(subjects.decodeToken(token)).toBeUndefined(),
  );

  it(verifies('WIRE-002', 'decode to what was encoded, whatever it was'), () => {
    fc.assert(
      fc.property(
        fc.oneof(ids, fc.string({ unit: 'binary', minLength: 1 })),
        (id) => subjects.decodeToken(subjects.encodeToken(id)) === id,
      ),
    );
  });

  it(verifies('WIRE-002', 'have no second form: whatever decodes is what encoding gives'), () => {
    const tokens = fc.stringMatching(/^(?:[A-Za-z0-9_.~-]|%[0-9A-Fa-f]{2}){1,12}$/);
    fc.assert(
      fc.property(tokens, (token) => {
        const id = subjects.decodeToken(token);
        return id === undefined || subjects.encodeToken(id) === token;
      }),
    );
  });

  it(verifies('WIRE-002', 'hold no character that means something in a subject'), () => {
    fc.assert(fc.property(ids, (id) => /^[A-Za-z0-9_%-]+$/.test(subjects.encodeToken(id))));
  });
});

describe('the subjects', () => {
  it(verifies('WIRE-003', 'are those of the contract'), () => {
    expect({
      request: subjects.requestSubject(scope),
      call: subjects.callSubject(scope),
      cancel: subjects.cancelSubject(scope),
      deadLetter: subjects.deadLetterSubject(scope),
      result: subjects.resultSubject(call),
      run: subjects.runJournalSubject({ ...scope, ownerKind: 'FlowRun', runId: 'f.1' }),
      toolCall: subjects.toolCallJournalSubject(call),
      inbox: subjects.inboxPrefix(scope),
    }).toEqual({
      request: 'agentstration.tools.v1.acme.demo.request',
      call: 'agentstration.tools.v1.acme.demo.call',
      cancel: 'agentstration.tools.v1.acme.demo.cancel',
      deadLetter: 'agentstration.tools.v1.acme.demo.dead-letter',
      result: 'agentstration.tools.v1.acme.demo.result.runtime.run-42.functions%2Elookup%3A0',
      run: 'agentstration.journal.v1.acme.demo.flow.f%2E1',
      toolCall: 'agentstration.journal.v1.acme.demo.runtime.run-42.functions%2Elookup%3A0',
      inbox: '_INBOX.acme.demo',
    });
  });

  it(verifies('WIRE-003', 'are captured by the filter of their stream'), () => {
    const filters = subjects.subjectFilters;
    expect(covers(filters.requests, subjects.requestSubject(scope))).toBe(true);
    expect(covers(filters.calls, subjects.callSubject(scope))).toBe(true);
    expect(covers(filters.cancels, subjects.cancelSubject(scope))).toBe(true);
    expect(covers(filters.discover, subjects.discoverSubject(scope))).toBe(true);
    expect(covers(filters.deadLetters, subjects.deadLetterSubject(scope))).toBe(true);
    fc.assert(fc.property(calls, (key) => covers(filters.results, subjects.resultSubject(key))));
    fc.assert(fc.property(calls, (key) => covers(filters.journal, subjects.toolCallJournalSubject(key))));
  });

  it(verifies('WIRE-003', 'of the Journal are read back into the identities they were made of'), () => {
    fc.assert(fc.property(calls, (key) => expect(subjects.parseJournalSubject(subjects.toolCallJournalSubject(key))).toEqual(key)));
    fc.assert(fc.property(runs, (key) => expect(subjects.parseJournalSubject(subjects.runJournalSubject(key))).toEqual(key)));
  });

  it(verifies('WIRE-003', 'of different identities differ'), () => {
    fc.assert(
      fc.property(calls, calls, (one, other) => {
        const same = JSON.stringify(one) === JSON.stringify(other);
        return same === (subjects.toolCallJournalSubject(one) === subjects.toolCallJournalSubject(other));
      }),
    );
  });

  it(verifies('WIRE-003', 'name their Workspace'), () => {
    fc.assert(
      fc.property(scopeIds, scopeIds, (tenantId, workspaceId) => {
        expect(subjects.parseScope(subjects.requestSubject({ tenantId, workspaceId }))).toEqual({ tenantId, workspaceId });
      }),
    );
  });

  it.each([
    'agentstration.journal.v1.acme.demo',
    'agentstration.journal.v1.acme.demo.runtime',
    'agentstration.journal.v1.acme.demo.runtime.',
    'agentstration.journal.v1.acme.demo.RuntimeRun.run-42',
    'agentstration.journal.v1.acme.demo.runtime.run-42.',
    'agentstration.journal.v1.acme.demo.runtime.run-42.call_9.more',
    'agentstration.journal.v1.acme.demo.runtime.run%2d42',
    'agentstration.journal.v1.-acme.demo.runtime.run-42',
    'agentstration.journal.v2.acme.demo.runtime.run-42',
    'agentstration.tools.v1.acme.demo.runtime.run-42',
    '',
  ])(verifies('WIRE-003', 'of no fact are refused: %s'), (subject) => expect(subjects.parseJournalSubject(subject)).toBeUndefined());
});

/** Whether a NATS filter captures a subject. */
function covers(filter: string, subject: string): boolean {
  const tokens = subject.split('.');
  const wanted = filter.split('.');
  const fits = wanted.every((token, index) => (token === '>' || token === '*' ? (tokens[index] ?? '') !== '' : token === tokens[index]));
  return fits && (wanted.at(-1) === '>' ? tokens.length >= wanted.length : tokens.length === wanted.length);
}
