import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { parseLabelSelector } from './label-selector.ts';

describe('label selectors', () => {
  it.each<[string | undefined, ReturnType<typeof parseLabelSelector>]>([
    [undefined, []],
    [' ', []],
    ['a', [{ key: 'a', operator: 'exists' }]],
    ['!a', [{ key: 'a', operator: 'doesNotExist' }]],
    ['a=b', [{ key: 'a', operator: 'in', values: ['b'] }]],
    ['a == b', [{ key: 'a', operator: 'in', values: ['b'] }]],
    ['a!=b', [{ key: 'a', operator: 'notIn', values: ['b'] }]],
    ['a=', [{ key: 'a', operator: 'in', values: [''] }]],
    ['a in (b, c)', [{ key: 'a', operator: 'in', values: ['b', 'c'] }]],
    ['a notin (b,)', [{ key: 'a', operator: 'notIn', values: ['b', ''] }]],
    [
      'app.kubernetes.io/name=x,tier in (a,b),!old',
      [
        { key: 'app.kubernetes.io/name', operator: 'in', values: ['x'] },
        { key: 'tier', operator: 'in', values: ['a', 'b'] },
        { key: 'old', operator: 'doesNotExist' },
      ],
    ],
  ])(verifies('RES-013', '%s'), (text, requirements) => expect(parseLabelSelector(text)).toEqual(requirements));

  it.each([
    'a=b=c',
    '=b',
    'a,',
    ',a',
    'a in b',
    'a in (b',
    'a in b)',
    'a ~ b',
    '-a',
    'a in (b c)',
    'a>1',
    '!',
    'a&b',
    "a='b'",
    '!!a',
    'x'.repeat(64),
  ])(verifies('RES-020', '%s is refused'), (text) => expect(() => parseLabelSelector(text)).toThrow(/labelSelector/));

  it(verifies('RES-020', 'is bounded'), () => {
    expect(() => parseLabelSelector(Array.from({ length: 33 }, (_, index) => `k${index}`).join(','))).toThrow(/at most 32/);
    expect(() => parseLabelSelector(`a in (${'b,'.repeat(5000)})`)).toThrow(/8192/);
  });
});
