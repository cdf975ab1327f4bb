import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import fc from 'fast-check';
import { defaultReserve, JournalRoom } from './journal-room.ts';

const mebibyte = 1024 * 1024;

describe('JournalRoom', () => {
  const maximumBytes = 10_000;
  const roomOf = (bytes: number, maximum = maximumBytes) => {
    const room = new JournalRoom({ attemptBytes: 10, reserveBytes: 800 });
    room.look({ bytes, maximumBytes: maximum, mark: room.mark });
    return room;
  };

  it(verifies('JVER-005', 'lets nothing begin before the Journal was seen'), () => {
    expect(new JournalRoom({ attemptBytes: 10 }).attempts(0)).toBe(0);
  });

  it(verifies('JVER-005', 'takes no new attempt once what is left above the reserve would not hold it'), () => {
    expect([roomOf(9190).isUsedUp, roomOf(9190).attempts(0)]).toEqual([false, 1]);
    expect([roomOf(9191).isUsedUp, roomOf(9191).attempts(0)]).toEqual([true, 0]);
    expect(roomOf(9191, 2 * maximumBytes).isUsedUp).toBe(false);
  });

  it(verifies('JVER-005', 'sets aside what the attempts under way may come to'), () => {
    const room = roomOf(1200);
    expect([0, 4, 12, 13].map((underWay) => room.attempts(underWay))).toEqual([12, 8, 0, 0]);
  });

  it(verifies('JVER-005', 'counts what was appended since the Journal was last seen, until it is seen again'), () => {
    const room = roomOf(9160);
    const settle = room.sending(25);
    expect(room.attempts(0)).toBe(1);
    room.look({ bytes: 9160, maximumBytes, mark: room.mark });
    expect(room.attempts(0)).toBe(1);
    settle();
    expect(room.attempts(0)).toBe(1);
    room.sending(10)();
    expect(room.attempts(0)).toBe(0);
    room.look({ bytes: 9185, maximumBytes, mark: room.mark });
    expect(room.attempts(0)).toBe(1);
  });

  it(verifies('JVER-005', 'asks for a look after half of the share that others leave it'), () => {
    const room = roomOf(1200);
    room.sending(62);
    expect(room.isStale).toBe(false);
    room.sending(1);
    expect(room.isStale).toBe(true);
  });

  it('does not believe an old look after a newer one', () => {
    const room = roomOf(0);
    const old = room.mark;
    room.sending(9195)();
    room.look({ bytes: 9195, maximumBytes, mark: room.mark });
    room.look({ bytes: 0, maximumBytes, mark: old });
    expect(room.isUsedUp).toBe(true);
  });

  it('has always room without a limit', () => {
    expect(roomOf(1e15, -1).attempts(1000)).toBeGreaterThan(1e6);
  });

  it.each([
    [10 * 1024 * mebibyte, 102.4 * mebibyte],
    [1024 * mebibyte, 64 * mebibyte],
    [40, 10],
  ])('keeps of %i bytes %i', (maximumBytes, reserve) => {
    expect(defaultReserve(maximumBytes)).toBe(reserve);
  });
});

describe('executors that fill a Journal together', () => {
  const attemptBytes = 1000;
  const maximumBytes = 100 * attemptBytes;
  const factsOfAttempt = 3;

  class Executor {
    readonly room = new JournalRoom({ attemptBytes });
    readonly #attempts: number[] = [];
    constructor(private readonly journal: { bytes: number }) {
      this.look();
    }
    look(): void {
      this.room.look({ bytes: this.journal.bytes, maximumBytes, mark: this.room.mark });
    }
    begin(): void {
      for (let more = this.room.attempts(this.#attempts.length); more > 0; more--) this.#attempts.push(factsOfAttempt);
    }
    /** Appends the next fact of one of the attempts under way; answers false when the Journal refuses it. */
    append(which: number, size: number): boolean {
      const attempt = which % Math.max(1, this.#attempts.length);
      if (this.#attempts[attempt] === undefined) return true;
      const bytes = 1 + (size % Math.floor(attemptBytes / factsOfAttempt));
      const settle = this.room.sending(bytes);
      this.journal.bytes += bytes;
      settle();
      this.#attempts[attempt] -= 1;
      if (this.#attempts[attempt] === 0) this.#attempts.splice(attempt, 1);
      return this.journal.bytes <= maximumBytes;
    }
  }

  it(verifies('JVER-005', 'never have a fact refused when one of them fills it and the others have not looked since'), () => {
    const journal = { bytes: 0 };
    const [busy, ...idle] = Array.from({ length: 8 }, () => new Executor(journal));
    const fill = (executor: Executor | undefined): boolean => {
      executor?.begin();
      return Array.from({ length: 30 }, () => executor?.append(0, attemptBytes / factsOfAttempt - 1)).every(Boolean);
    };
    while (busy && busy.room.attempts(0) > 0) {
      expect(fill(busy)).toBe(true);
      busy.look();
    }
    expect(journal.bytes).toBeGreaterThan(maximumBytes * 0.7);
    for (const executor of [...idle, ...idle]) expect(fill(executor)).toBe(true);
  });

  it(verifies('JVER-005', 'never have a fact of an attempt refused, however seldom they look'), () => {
    const steps = fc.array(
      fc.record({
        executor: fc.nat(),
        act: fc.constantFrom('begin', 'append', 'append', 'append', 'append', 'look'),
        which: fc.nat(),
        size: fc.nat(),
      }),
      { minLength: 300, maxLength: 1500, size: 'max' },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), steps, (count, acts) => {
        const journal = { bytes: 0 };
        const executors = Array.from({ length: count }, () => new Executor(journal));
        return acts.every(({ executor: index, act, which, size }) => {
          const executor = executors[index % count] as Executor;
          if (act === 'append') return executor.append(which, size);
          executor[act]();
          return true;
        });
      }),
      { numRuns: 300, endOnFailure: true },
    );
  });
});
