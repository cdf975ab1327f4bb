import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import fc from 'fast-check';
import { isPathSafeId, matches, parseCanonicalId, parseOwnerKind, patterns, toCanonicalId, toOwnerKindToken } from './identities.ts';

/** Per grammar: what it takes and what it does not. */
const golden: Record<keyof typeof patterns, { legal: string[]; illegal: string[] }> = {
  scopeId: {
    legal: ['local', 'A', '0', 'a_b-c', 'a'.repeat(64)],
    illegal: ['', '-a', '_a', 'a.b', 'a b', 'a'.repeat(65), 'ä', 'a\n', '*', '>', 'a%2E'],
  },
  id: {
    legal: ['call_9', 'toolu_01', 'functions.lookup:0', '!', '~', 'a/b', '%', '*', '>', 'x'.repeat(128)],
    illegal: ['', 'a b', 'a\tb', 'a\n', '\u0000', 'ä', '\u007f', 'x'.repeat(129)],
  },
  agentId: { legal: ['support-agent', 'x'.repeat(256)], illegal: ['', 'a b', 'x'.repeat(257)] },
  canonicalId: {
    legal: ['everything', 'everything.echo', 'crm/lookup', 'team.a/crm.lookup', `${'n'.repeat(128)}/${'a'.repeat(253)}`],
    illegal: ['', '/', 'a/', '/a', 'a/b/c', 'Team/crm', 'a.', '.a', 'a-', `${'n'.repeat(129)}/a`, 'a'.repeat(254)],
  },
  resourceName: {
    legal: ['a', 'Block_Sensitive.lookup-1', 'a'.repeat(253)],
    illegal: ['', '.', 'a.', '-a', 'a/b', 'a b', 'a'.repeat(254)],
  },
  providerName: { legal: ['everything', 'a', 'a'.repeat(63)], illegal: ['', 'a.b', 'a-', '_a', 'a'.repeat(64)] },
  namespace: { legal: ['default', '0', 'team.a-b', 'a'.repeat(128)], illegal: ['', 'Team', '-a', '.a', 'a_b', 'a'.repeat(129)] },
  code: {
    legal: ['sensitive_lookup_denied', '0', 'A.b-c_d', 'a'.repeat(128)],
    illegal: ['', '_a', '.a', 'a b', 'a/b', 'a\n', 'a'.repeat(129)],
  },
};

describe('the grammars of names', () => {
  it.each(Object.entries(golden))(verifies('WIRE-001', '%s'), (grammar, { legal, illegal }) => {
    const name = grammar as keyof typeof patterns;
    expect(legal.filter((text) => !matches(name, text))).toEqual([]);
    expect(illegal.filter((text) => matches(name, text))).toEqual([]);
  });

  it(verifies('WIRE-001', 'refuse . and .. as ids: an HTTP client would resolve them'), () => {
    expect(['.', '..', '', 'a b'].filter(isPathSafeId)).toEqual([]);
    expect(['...', '.a', 'a.', 'call_9'].filter(isPathSafeId)).toHaveLength(4);
  });
});

describe('owner kinds', () => {
  it.each(['runtime', 'RUNTIME', 'RuntimeRun', 'runtimerun'])('%s is a RuntimeRun', (text) =>
    expect(parseOwnerKind(text)).toBe('RuntimeRun'),
  );
  it.each(['flow', 'Flow', 'FlowRun', 'FLOWRUN'])('%s is a FlowRun', (text) => expect(parseOwnerKind(text)).toBe('FlowRun'));
  it.each(['', 'run', 'runtime ', 'FlowRuns', 'constructor'])('%j is none', (text) => expect(parseOwnerKind(text)).toBeUndefined());

  it('have one token each, which reads back', () => {
    expect(parseOwnerKind(toOwnerKindToken('RuntimeRun'))).toBe('RuntimeRun');
    expect(parseOwnerKind(toOwnerKindToken('FlowRun'))).toBe('FlowRun');
  });
});

describe('canonical ids', () => {
  const namespaces = fc.oneof(fc.constant('default'), fc.stringMatching(new RegExp(patterns.namespace)));
  const names = fc.stringMatching(new RegExp(patterns.resourceName));

  it(verifies('WIRE-011', 'leave out the default namespace and nothing else'), () => {
    expect(toCanonicalId('default', 'crm.lookup')).toBe('crm.lookup');
    expect(toCanonicalId('team', 'crm.lookup')).toBe('team/crm.lookup');
    expect(toCanonicalId('Default', 'x')).toBe('Default/x');
  });

  it(verifies('WIRE-011', 'are read back into the namespace and the name they were made of'), () => {
    fc.assert(
      fc.property(namespaces, names, (namespace, name) => {
        const id = toCanonicalId(namespace, name);
        expect(parseCanonicalId(id)).toEqual({ namespace, name });
        expect(matches('canonicalId', id)).toBe(true);
      }),
    );
  });
});
