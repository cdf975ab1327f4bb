import { describe, expect, it } from '@jest/globals';
import { oneAhead } from './one-ahead.ts';

describe('reading one ahead', () => {
  it('gives every item in order, and reads the next while one is worked on', async () => {
    const read: number[] = [];
    async function* source() {
      for (let item = 1; item <= 3; item += 1) {
        read.push(item);
        yield await Promise.resolve(item);
      }
    }
    const seen: [number, number[]][] = [];
    for await (const item of oneAhead(source())) {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push([item, [...read]]);
    }
    expect(seen).toEqual([
      [1, [1, 2]],
      [2, [1, 2, 3]],
      [3, [1, 2, 3]],
    ]);
  });

  it('reports an error of the source after the items before it', async () => {
    async function* source() {
      yield await Promise.resolve(1);
      throw new Error('broken');
    }
    const seen: number[] = [];
    const walk = async () => {
      for await (const item of oneAhead(source())) seen.push(item);
    };
    await expect(walk()).rejects.toThrow('broken');
    expect(seen).toEqual([1]);
  });

  it('lets the caller leave while a read is under way', async () => {
    async function* source() {
      yield await Promise.resolve(1);
      await new Promise(() => undefined);
    }
    for await (const item of oneAhead(source())) {
      expect(item).toBe(1);
      break;
    }
  });
});
