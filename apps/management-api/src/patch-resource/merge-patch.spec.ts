import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mergePatch } from './merge-patch.ts';

describe('JSON merge patch', () => {
  // The examples of RFC 7396, appendix A.
  it.each<[unknown, unknown, unknown]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])(verifies('RES-012', '%j with %j is %j'), (target, patch, result) => expect(mergePatch(target, patch)).toEqual(result));

  it(verifies('RES-012', 'changes no argument and no prototype'), () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
        const before = JSON.stringify([target, patch]);
        mergePatch(target, patch);
        expect(JSON.stringify([target, patch])).toBe(before);
      }),
    );
    const patch = JSON.parse('{"__proto__":{"polluted":true}}') as unknown;
    expect(Object.keys(mergePatch({}, patch) as object)).toEqual(['__proto__']);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it(verifies('RES-012', 'applied twice is applied once'), () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) =>
        expect(mergePatch(mergePatch(target, patch), patch)).toEqual(mergePatch(target, patch)),
      ),
    );
  });
});
