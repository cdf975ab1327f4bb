import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeContinueToken, encodeContinueToken } from './continue-token.ts';

const query = ['acme', 'demo', 'ToolExecutionHook', null, ''];

describe('continue tokens', () => {
  it(verifies('RES-013', 'come back as what they were'), () => {
    fc.assert(
      fc.property(fc.jsonValue(), (position) =>
        expect(decodeContinueToken(encodeContinueToken(position, query), query)).toEqual(JSON.parse(JSON.stringify(position))),
      ),
    );
  });

  it(verifies('RES-014', 'are refused for another workspace, query or kind'), () => {
    const token = encodeContinueToken({ namespace: 'a', name: 'b' }, query);
    for (const other of [
      ['acme', 'other', 'ToolExecutionHook', null, ''],
      [...query.slice(0, 4), 'a=b'],
      ['acme', 'demo', 'Tool', null, ''],
    ])
      expect(() => decodeContinueToken(token, other)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });

  it(verifies('RES-014', 'are refused when anything in them was changed'), () => {
    const token = encodeContinueToken({ namespace: 'a', name: 'b' }, query);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom(...'Aa0_-='), (at, character) => {
        fc.pre(token[at] !== character);
        const tampered = token.slice(0, at) + character + token.slice(at + 1);
        expect(() => decodeContinueToken(tampered, query)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
      }),
      { numRuns: 500 },
    );
  });

  it(verifies('RES-014', 'are refused when they are no tokens'), () => {
    fc.assert(fc.property(fc.string(), (text) => expect(() => decodeContinueToken(text, query)).toThrow()));
  });
});
