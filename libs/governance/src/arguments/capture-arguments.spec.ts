import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { captureArguments, truncationSuffix } from './capture-arguments.ts';

describe('captured arguments', () => {
  it(verifies('ARGS-002', 'fit the bound with their suffix, never split a code point, and tell the length before cutting'), () => {
    const anyJson = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(anyJson, fc.integer({ min: 64, max: 160 }), (json, bound) => {
        const { json: kept, truncated, length } = captureArguments(json, bound);
        expect(length).toBe(json.length);
        expect(kept.length).toBeLessThanOrEqual(bound);
        expect(kept.isWellFormed()).toBe(json.isWellFormed());
        expect(truncated).toBe(json.length > bound);
        if (!truncated) expect(kept).toBe(json);
        else expect(json.startsWith(kept.slice(0, -truncationSuffix.length))).toBe(true);
        // As much as fits is kept: at most half a pair less.
        if (truncated) expect(kept.length).toBeGreaterThanOrEqual(bound - 1);
      }),
      { numRuns: 1_000 },
    );
  });

  it(verifies('ARGS-002', 'are cut before a pair that does not fit'), () => {
    const room = 64 - truncationSuffix.length;
    expect(captureArguments(`${'x'.repeat(room - 1)}😀${'x'.repeat(40)}`, 64).json).toBe('x'.repeat(room - 1) + truncationSuffix);
    expect(captureArguments(`${'x'.repeat(room - 2)}😀${'x'.repeat(40)}`, 64).json).toBe(`${'x'.repeat(room - 2)}😀${truncationSuffix}`);
  });
});
