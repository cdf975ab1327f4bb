import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { MalformedYaml } from './malformed-yaml.ts';
import { parseStrictYaml } from './parse-strict-yaml.ts';

const parse = (text: string): unknown => parseStrictYaml(new TextEncoder().encode(text));

function refusal(text: string): string {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof MalformedYaml) return error.message;
    throw error;
  }
  return 'accepted';
}

const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]', 'b: &b [*a,*a,*a,*a,*a]', 'c: &c [*b,*b,*b,*b,*b]', 'd: [*c,*c,*c,*c,*c]'].join('\n');
const levels = (depth: number): string => Array.from({ length: depth }, (_, level) => `${' '.repeat(level)}a:`).join('\n');

describe('parseStrictYaml', () => {
  it('reads what manifests are made of', () => {
    const manifest = `
# a hook
apiVersion: agentstration.io/v1
metadata: { name: block, labels: { 'yes': "no", on: off } }
definition:
  order: -100
  ratio: 1.5
  enabled: true
  nothing: null
  lists: &lists [a, b]
  again: *lists
  message: >
    folded
    text
`;
    expect(parse(manifest)).toEqual({
      apiVersion: 'agentstration.io/v1',
      metadata: { name: 'block', labels: { yes: 'no', on: 'off' } },
      definition: { order: -100, ratio: 1.5, enabled: true, nothing: null, lists: ['a', 'b'], again: ['a', 'b'], message: 'folded text\n' },
    });
    expect(parse('---\na: 1\n...\n')).toEqual({ a: 1 });
    expect(parse('\ufeffa: 1')).toEqual({ a: 1 });
    expect(parse('{"a": [1, "\\u00e9"]}')).toEqual({ a: [1, 'é'] });
    expect(parse('a: 2026-01-01')).toEqual({ a: '2026-01-01' });
    expect(parse('')).toBeNull();
  });

  it.each([
    ['duplicate keys', 'a: 1\nb: 2\na: 3', /duplicate key.*line 1/],
    ['duplicate keys in flow', 'x:\n  {a: 1, "a": 2}', /duplicate key.*line 2, column 3/],
    ['a tag', 'a: !!str 1', /A tag at line 1, column 4/],
    ['a tag of ours', 'a:\n  - !js/function x', /A tag at line 2/],
    ['a directive', '%YAML 1.1\n---\na: yes', /A directive at line 1/],
    ['two documents', 'a: 1\n---\nb: 2', /More than one document at line 2/],
    ['two documents, one empty', 'a: 1\n---\n', /More than one document/],
    ['an anchor bomb', bomb, /Aliases that expand too often|More than 16 aliases/],
    ['many aliases', `a: &a x\nb: [${'*a,'.repeat(17)}]`, /More than 16 aliases/],
    ['an alias of nothing', 'a: *b', /Not YAML|Aliases/],
    ['an alias of itself', 'a: &a [*a]', /An alias inside of what it names/],
    ['an alias of what surrounds it', '&a\nb: {c: *a}', /An alias inside of what it names/],
    ['a large number', 'a: 9007199254740993', /number that JSON cannot say.*line 1, column 4/],
    ['an endless number', 'a: .inf', /number/],
    ['no number', 'a: .nan', /number/],
    ['an overflowing number', 'a: 1e999', /number/],
    ['a hexadecimal number', 'a: 0x10', /number/],
    ['a number with leading zeros', 'a: 0123', /number/],
    ['a surrogate', 'a: "\\ud800"', /lone surrogate/],
    ['a surrogate in a key', '"\\ud800": a', /lone surrogate/],
    ['a list as key', '? [a]\n: 1', /Not YAML/],
    ['a broken map', 'a: {b', /Not YAML at line 1/],
    ['a tab as indentation', 'a:\n\tb: 1', /Not YAML at line 2/],
    ['deep flow', '['.repeat(65) + ']'.repeat(65), /Nesting deeper than 64/],
    ['deep blocks', levels(65), /Nesting deeper than 64/],
    ['deep lines', '- '.repeat(65), /Nesting deeper than 64/],
  ])(verifies('HTTP-006', 'refuses %s'), (_, text, message) => {
    expect(refusal(text)).toMatch(message);
  });

  it('64 levels are enough and allowed', () => {
    expect(refusal('['.repeat(64) + ']'.repeat(64))).toBe('accepted');
    expect(refusal(levels(64))).toBe('accepted');
  });

  it('refuses what is not UTF-8', () => {
    expect(() => parseStrictYaml(Buffer.from([0x61, 0x3a, 0x20, 0xff]))).toThrow('Not UTF-8');
  });

  it(verifies('HTTP-006', 'is done in time with the worst megabyte'), () => {
    const mebibyte = 1024 * 1024;
    const worst = [
      '? ',
      '- ',
      '[',
      '{a: ',
      'a: ',
      '&a ',
      '!',
      '*a ',
      '%a\n',
      '\n',
      'a:\n',
      '- &a x\n',
      '"',
      "'a\n",
      '#\n',
      '---\n',
      '|\n',
      '{,',
      'k, ',
      '? - ',
      '\t',
      ': ',
      'a\n',
    ];
    for (const piece of worst) {
      const start = performance.now();
      refusal(piece.repeat(Math.floor(mebibyte / piece.length)));
      refusal(`a: [${piece.repeat(9000)}`);
      refusal(`${`${piece.repeat(60)}\n`.repeat(300)}`);
      expect([piece, performance.now() - start < 3000]).toEqual([piece, true]);
    }
  });

  it('means the same as JSON for every JSON document', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        expect(parse(stringify(plain, { aliasDuplicateObjects: false }))).toEqual(plain);
        expect(parse(JSON.stringify(plain))).toEqual(plain);
      }),
      { numRuns: 200 },
    );
  });
});
