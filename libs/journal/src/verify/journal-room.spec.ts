import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { defaultReserve, JournalRoom } from './journal-room.ts';

const mebibyte = 1024 * 1024;

describe('JournalRoom', () => {
  it(verifies('JVER-005', 'takes no new attempt once the reserve is reached'), () => {
    const room = new JournalRoom(100);
    expect(room.look({ bytes: 899, maximumBytes: 1000, now: 0 })).toBe(true);
    expect(room.look({ bytes: 900, maximumBytes: 1000, now: 1 })).toBe(false);
    expect(room.look({ bytes: 900, maximumBytes: 2000, now: 2 })).toBe(true);
  });

  it(verifies('JVER-005', 'takes no new attempt when the next looks might come too late'), () => {
    const room = new JournalRoom(100);
    room.look({ bytes: 0, maximumBytes: 1000, now: 0 });
    expect(room.look({ bytes: 400, maximumBytes: 1000, now: 5000 })).toBe(false);
    expect(room.look({ bytes: 400, maximumBytes: 1000, now: 10_000 })).toBe(true);
  });

  it('measures growth over a second at least', () => {
    const room = new JournalRoom(100);
    room.look({ bytes: 0, maximumBytes: 1000, now: 0 });
    expect(room.look({ bytes: 10, maximumBytes: 1000, now: 1 })).toBe(true);
  });

  it('has always room without a limit', () => {
    expect(new JournalRoom().look({ bytes: 1e15, maximumBytes: -1, now: 0 })).toBe(true);
  });

  it.each([
    [10 * 1024 * mebibyte, 102.4 * mebibyte],
    [1024 * mebibyte, 64 * mebibyte],
    [40, 10],
  ])('keeps of %i bytes %i', (maximumBytes, reserve) => {
    expect(defaultReserve(maximumBytes)).toBe(reserve);
  });
});
