import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { Departure } from './departure.ts';

describe('a departure', () => {
  it(verifies('PROV-002', 'asks once, leaves once, and cannot be withdrawn then'), () => {
    let asked = 0;
    const departure = new Departure(() => (asked += 1) > 0);
    departure.leave();
    departure.withdraw();
    expect(departure.left).toBe(true);
    expect(() => departure.leave()).toThrow();
    expect(asked).toBe(1);
  });

  it(verifies('PROV-002', 'does not leave when it may not, or when it was withdrawn'), () => {
    const refused = new Departure(() => false);
    expect(() => refused.leave()).toThrow();
    expect(() => refused.leave()).toThrow();
    expect([refused.left, refused.refused]).toEqual([false, true]);
    let asked = false;
    const withdrawn = new Departure(() => (asked = true));
    withdrawn.withdraw();
    expect(() => withdrawn.leave()).toThrow();
    expect([withdrawn.left, withdrawn.refused, asked]).toEqual([false, false, false]);
  });
});
