import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import fc from 'fast-check';
import { StrictJsonError, parseStrictJson } from './strict-json.ts';

/** The fault of a text: where and why. Undefined when it is read. */
function faultOf(input: string | Uint8Array): { pointer: string; reason: string } | undefined {
  try {
    parseStrictJson(input);
    return undefined;
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    return { pointer: error.pointer, reason: error.reason };
  }
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('strict JSON', () => {
  it.each(['null', 'true', '"a"', '""', '{}', '[]', ' {"a": [1, {"b": null}]}\n', '"\\ud83d\\ude00"', '"😀"', '{"a":1,"A":2}', '{"":1}'])(
    verifies('WIRE-004', 'reads %j'),
    (text) => expect(parseStrictJson(text)).toEqual(JSON.parse(text)),
  );

  it.each([
    '0',
    '-0',
    '1.0',
    '0.1',
    '2.50',
    '0e5',
    '1E5',
    '1e+5',
    '0.1e1',
    '1e21',
    '5e-324',
    '1.7976931348623157e308',
    '9007199254740992',
    `1${'0'.repeat(300)}`,
  ])(verifies('WIRE-004', 'reads the number %s, which a double holds'), (text) => expect(parseStrictJson(text)).toBe(JSON.parse(text)));

  it.each([
    '1e400',
    '-1e400',
    '1e-400',
    '9007199254740993',
    '0.1000000000000000055',
    '123456789012345678901',
    '1e999999999999999999',
    '3.141592653589793238',
  ])(verifies('WIRE-004', 'refuses the number %s, which a double would change'), (text) =>
    expect(faultOf(`{"a":[0,${text}]}`)).toEqual({ pointer: '/a/1', reason: expect.stringContaining('A number that changes') }),
  );

  it.each([
    ['{"a":1,"a":2}', '/a'],
    ['{"a":1,"\\u0061":2}', '/a'],
    ['{"a":{"b":[{"c":1,"d":2,"c":1}]}}', '/a/b/0/c'],
    ['[0,{"x/y~":[{"k":1,"k":2}]}]', '/1/x~1y~0/0/k'],
    ['{"__proto__":1,"__proto__":2}', '/__proto__'],
    ['{"":1,"":2}', '/'],
  ])(verifies(['WIRE-004', 'WIRE-005'], 'refuses the duplicate key of %s at %s'), (text, pointer) =>
    expect(faultOf(text)).toEqual({ pointer, reason: 'Duplicate key' }),
  );

  it.each([
    ['"\\ud800"', ''],
    ['["a","\\udfff"]', '/1'],
    ['{"a":"\ud800"}', '/a'],
    ['{"a":"\\ude00\\ud83d"}', '/a'],
    ['{"a":{"\\ud800":1}}', '/a'],
  ])(verifies(['WIRE-004', 'WIRE-005'], 'refuses the lone surrogate of %j at %j'), (text, pointer) =>
    expect(faultOf(text)).toEqual({ pointer, reason: expect.stringContaining('lone surrogate') }),
  );

  it.each([
    ['an overlong form', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut sequence', [0x22, 0xe2, 0x82, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x31, 0x00]],
  ])(verifies('WIRE-004', 'refuses bytes that are not UTF-8: %s'), (_, bytes) =>
    expect(faultOf(new Uint8Array(bytes))).toEqual({ pointer: '', reason: 'The text is not UTF-8' }),
  );

  it.each([
    '',
    ' ',
    '[1,]',
    '{"a":1,}',
    '// c\n1',
    '/* c */1',
    '1 2',
    '01',
    '+1',
    '.5',
    '1.',
    '0x10',
    'NaN',
    'Infinity',
    '"\t"',
    '"\\x"',
    '"\\u12"',
    "'a'",
    '{a:1}',
    '[1 2]',
    '{"a" 1}',
    '{"a":1]',
    '[,]',
    '\ufeff1',
    '\u00a01',
    'undefined',
    '"a',
    '{',
  ])(verifies('WIRE-004', 'refuses %j, which is not JSON'), (text) => expect(faultOf(text)?.reason).toMatch(/^Not JSON/));

  it(verifies('WIRE-004', 'reads 64 levels and refuses 65, of arrays, objects and both'), () => {
    expect(faultOf(nested(64))).toBeUndefined();
    expect(faultOf(nested(65))).toEqual({ pointer: '/0/0/0/0/0/0/0/0', reason: 'Nesting is deeper than 64' });
    expect(faultOf('{"a":['.repeat(32) + ']}'.repeat(32))).toBeUndefined();
    expect(faultOf('{"a":['.repeat(33) + ']}'.repeat(33))).toMatchObject({ reason: 'Nesting is deeper than 64' });
    expect(faultOf(`[${nested(63)},${nested(63)}]`)).toBeUndefined();
  });

  it.each([
    ['brackets', '['.repeat(1_000_000)],
    ['objects', '{"a":'.repeat(200_000)],
    ['zeros within a number', `0.1${'0'.repeat(1_000_000)}1`],
    ['digits of an exponent', `1e-${'9'.repeat(1_000_000)}`],
    ['a key said twice', `{"${'k'.repeat(400_000)}":1,"${'k'.repeat(400_000)}":2}`],
  ])(verifies('WIRE-005', 'refuses a megabyte of %s in a moment and in few words'), (_, text) => {
    const start = performance.now();
    const fault = faultOf(text);
    expect(fault?.reason).toBeDefined();
    expect(fault?.pointer.length).toBeLessThan(200);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('can be lenient within one member, and only there', () => {
    const lenient = (text: string): unknown => parseStrictJson(text, { lenientWithin: 'arguments' });
    expect(lenient('{"arguments":{"n":9007199254740993,"a":1,"a":2}}')).toEqual({ arguments: { n: 9007199254740992, a: 2 } });
    expect(() => lenient('{"other":{"n":9007199254740993}}')).toThrow(StrictJsonError);
    expect(() => lenient(`{"arguments":${nested(1023)},"other":[]}`)).not.toThrow();
    expect(() => lenient(`{"arguments":${nested(1024)}}`)).toThrow('Nesting');
    expect(() => lenient(`{"arguments":${nested(100)},"other":${nested(64)}}`)).toThrow('Nesting');
    expect(() => lenient('{"arguments":[1,]}')).toThrow('Not JSON');
  });
});

describe('strict JSON, of any text', () => {
  const values = fc.jsonValue({ maxDepth: 6 });
  const almostJson = fc
    .tuple(values, fc.nat(), fc.constantFrom('', ',', '"', '[', '}', '0', 'e9', '\\', '\u0000', '\ud800', '-', ' '))
    .map(([value, at, extra]) => {
      const text = JSON.stringify(value);
      const place = at % (text.length + 1);
      return text.slice(0, place) + extra + text.slice(place);
    });

  it(verifies('WIRE-004', 'agrees with JSON.parse whenever it reads'), () => {
    fc.assert(
      fc.property(
        fc.oneof(
          values.map((value) => JSON.stringify(value)),
          almostJson,
          fc.string(),
        ),
        (text) => {
          if (faultOf(text) === undefined) expect(parseStrictJson(text)).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it(verifies('WIRE-004', 'reads whatever JSON.stringify writes of well-formed values'), () => {
    fc.assert(fc.property(values, (value) => expect(parseStrictJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)))));
  });

  it(verifies('WIRE-004', 'reads a number exactly when its value is the value of its double'), () => {
    const decimals = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 25n }), fc.integer({ min: 0, max: 30 }));
    fc.assert(
      fc.property(decimals, ([digits, exponent]) => {
        const text = `${digits}e-${exponent}`;
        expect(faultOf(text) === undefined).toBe(sameValue(digits, exponent, Number(text)));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** Whether the shortest text of `double` denotes `digits * 10^-exponent`, by whole numbers alone. */
function sameValue(digits: bigint, exponent: number, double: number): boolean {
  const [mantissa = '0', power = '0'] = double.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const shift = 60 + Number(power) - fraction.length;
  return shift >= 0 && digits * 10n ** BigInt(60 - exponent) === BigInt(whole + fraction) * 10n ** BigInt(shift);
}
