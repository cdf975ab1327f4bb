import { describe, expect, it } from '@jest/globals';
import { Closing } from './closing.ts';

describe('Closing', () => {
  it('ends the newest first, and each thing once', async () => {
    const ended: string[] = [];
    const closing = new Closing();
    for (const name of ['directory', 'broker', 'service']) closing.add(() => Promise.resolve(void ended.push(name)));
    await closing.close();
    await closing.close();
    expect(ended).toEqual(['service', 'broker', 'directory']);
  });

  it('ends the rest after a failure, and tells the first one', async () => {
    const ended: string[] = [];
    const closing = new Closing();
    closing.add(() => Promise.resolve(void ended.push('directory')));
    closing.add(() => Promise.reject(new Error('second')));
    closing.add(() => Promise.reject(new Error('first')));
    await expect(closing.close()).rejects.toThrow('first');
    expect(ended).toEqual(['directory']);
  });
});
