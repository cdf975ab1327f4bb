import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { ProviderFailure } from '../failures/provider-failure.ts';
import { Backoff } from './backoff.ts';

const failure = new ProviderFailure('provider_unreachable', 'No connection.');

describe('a backoff', () => {
  it(verifies('PROV-014', 'lets one failure pass, then waits twice as long each time, up to half a minute'), () => {
    const backoff = new Backoff();
    const waits: number[] = [];
    for (let now = 0; waits.length < 11; now += 100_000) {
      backoff.failed(failure, now);
      let wait = 0;
      while (backoff.blocking(now + wait)) wait += 250;
      waits.push(wait);
    }
    expect(waits).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it(verifies('PROV-014', 'answers with the last failure, and forgets everything with a success'), () => {
    const backoff = new Backoff();
    backoff.failed(failure, 0);
    backoff.failed(failure, 0);
    expect(backoff.blocking(0)).toBe(failure);
    expect(backoff.clear).toBe(false);
    backoff.succeeded();
    expect(backoff.blocking(0)).toBeUndefined();
    expect(backoff.clear).toBe(true);
  });
});
