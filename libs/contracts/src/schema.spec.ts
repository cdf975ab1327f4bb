import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { compileSchema } from './schema.ts';

describe('a check', () => {
  const check = compileSchema({
    type: 'object',
    additionalProperties: false,
    required: ['name'],
    properties: { name: { type: 'string', minLength: 1 }, 'a/b~c': { type: 'integer' }, kind: { enum: ['x', 'y'] } },
  });

  it('finds nothing wrong with a valid document', () => expect(check({ name: 'a', 'a/b~c': 1, kind: 'x' })).toEqual([]));

  it('names every fault with an RFC 6901 pointer and a stable code, never with the value', () => {
    const faults = check({ 'a/b~c': 'canary', kind: 'canary', 'no/thing': 'canary' });
    expect(faults.map(({ pointer, code }) => [pointer, code]).sort()).toEqual([
      ['/a~1b~0c', 'wrong_type'],
      ['/kind', 'not_allowed'],
      ['/name', 'required'],
      ['/no~1thing', 'unknown_property'],
    ]);
    expect(JSON.stringify(faults)).not.toContain('canary');
  });

  it('says once what two keywords find', () => {
    const time = { type: 'string', format: 'date-time', pattern: '^[0-9]{4}', description: 'a time' };
    expect(compileSchema(time)('soon')).toEqual([{ pointer: '', code: 'wrong_format', message: 'must be a time' }]);
  });

  it('says what is allowed', () => {
    const [fault] = check({ name: 'a', kind: 'z' });
    expect(fault?.message).toBe('must be one of x, y');
  });

  it.each([
    ['oneOf with two matches', { oneOf: [{ type: 'string' }, { minLength: 1, type: 'string' }] }, 'both'],
    ['anyOf without own faults', { anyOf: [false, false] }, 1],
    ['if', { if: true, then: false }, 1],
    ['not', { not: {} }, 1],
    ['propertyNames', { type: 'object', propertyNames: false }, { a: 1 }],
  ])(verifies('WIRE-012', 'that fails names a fault: %s'), (_, schema, document) =>
    expect(compileSchema(schema as object)(document)).not.toEqual([]),
  );
});
