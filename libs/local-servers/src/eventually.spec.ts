import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.ts';

describe('eventually', () => {
  it('answers what the check answers once it passes', async () => {
    let looks = 0;
    const check = () => {
      looks += 1;
      if (looks < 3) throw new Error('not yet');
      return Promise.resolve(looks);
    };
    await expect(eventually(check)).resolves.toBe(3);
  });

  it('throws what the check threw last when the time is over', async () => {
    let looks = 0;
    const check = () => Promise.reject(new Error(`look ${(looks += 1)}`));
    await expect(eventually(check, { within: 60, every: 20 })).rejects.toThrow(/look [2-4]/);
  });
});
