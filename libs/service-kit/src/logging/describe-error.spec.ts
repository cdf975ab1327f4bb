import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { describeError } from './describe-error.ts';

class QueryFailedError extends Error {
  readonly parameters = ['canary'];
  readonly query = 'select canary';
}

describe('describeError', () => {
  it('tells type, code, message, stack and cause', () => {
    const error = Object.assign(new TypeError('outer', { cause: new RangeError('inner') }), { code: 'E_SOME', detail: 'canary' });
    const told = describeError(error);
    expect(told).toEqual({
      type: 'TypeError',
      code: 'E_SOME',
      message: 'outer',
      stack: expect.arrayContaining([expect.stringMatching(/^at .*describe-error\.spec/)]),
      cause: { type: 'RangeError', message: 'inner', stack: expect.any(Array) },
    });
  });

  it.each([
    ['a failed statement', new QueryFailedError('invalid input: "canary"')],
    ['JSON', asError(() => JSON.parse('{"canary') as unknown)],
    ['a cause', new Error('outer', { cause: new QueryFailedError('canary') })],
    ['a text', 'canary'],
    ['an object', { message: 'canary' }],
    ['many lines', new QueryFailedError('line one\n    canary')],
  ])(verifies('HTTP-002', 'never quotes what it choked on: %s'), (_, error) => {
    expect(JSON.stringify(describeError(error))).not.toContain('canary');
  });
});

function asError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
