import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import { WaitingCrowd } from './waiting-crowd.ts';

const evenly = (): number => 0.5;

/** Sends a crowd back and lets each return on time, again and again; answers how many returned in each second. */
function live(
  crowd: WaitingCrowd,
  { size, seconds, finishedPerSecond = 0 }: { size: number; seconds: number; finishedPerSecond?: number },
) {
  const returns = Array.from({ length: seconds }, () => 0);
  const due = Array.from({ length: size }, () => crowd.join(0));
  for (let now = 1; now < seconds * 1000; now++) {
    if (finishedPerSecond > 0 && now % (1000 / finishedPerSecond) === 0) crowd.finished(now);
    for (const [index, at] of due.entries()) {
      if (at > now) continue;
      returns[Math.floor(now / 1000)]! += 1;
      due[index] = now + crowd.join(now);
    }
  }
  return returns;
}

describe('the requests above a share', () => {
  it(verifies('REQ-013', 'return soon when they are few'), () => {
    const crowd = new WaitingCrowd(0, evenly);
    expect(crowd.join(0)).toBeLessThanOrEqual(25);
    expect(live(new WaitingCrowd(0, evenly), { size: 1, seconds: 3 }).at(-1)).toBeGreaterThan(5);
  });

  it.each([100, 2_000])(verifies('REQ-013', 'return about a hundred times a second, however many wait: %d'), (size) => {
    const seconds = Math.max(10, (2.5 * size) / 100);
    const settled = live(new WaitingCrowd(0, Math.random), { size, seconds }).slice(-Math.ceil(seconds / 2));
    const perSecond = settled.reduce((sum, each) => sum + each, 0) / settled.length;
    expect(perSecond).toBeGreaterThan(60);
    expect(perSecond).toBeLessThan(150);
  });

  it(verifies('REQ-013', 'return twice as fast as requests are finished'), () => {
    const settled = live(new WaitingCrowd(0, Math.random), { size: 1_000, seconds: 12, finishedPerSecond: 200 }).slice(-6);
    const perSecond = settled.reduce((sum, each) => sum + each, 0) / settled.length;
    expect(perSecond).toBeGreaterThan(280);
    expect(perSecond).toBeLessThan(600);
  });

  it(verifies('REQ-013', 'never wait longer than it may take to hear of a cancellation'), () => {
    const crowd = new WaitingCrowd(0, () => 1);
    const waits = Array.from({ length: 50_000 }, () => crowd.join(0));
    expect(Math.max(...waits)).toBe(37_500);
    // Once all are due, nobody is counted any more.
    expect(crowd.join(40_000)).toBeLessThanOrEqual(30);
    expect(crowd.join(400_000)).toBeLessThanOrEqual(30);
  });
});
