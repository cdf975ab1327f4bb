import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DirectoryInUseError, lockDirectory } from './lock-directory.ts';

describe('lockDirectory', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lock-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('refuses a directory of a living process, and says whose it is', async () => {
    const unlock = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toEqual(new DirectoryInUseError(directory, process.pid));
    await unlock();
    await (
      await lockDirectory(directory)
    )();
    expect(await readdir(directory)).toEqual([]);
  });

  it('lets exactly one of many have it', async () => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it.each([
    ['a process that is gone', { pid: 2 ** 22 + 1, started: '1', id: 'x' }],
    ['an earlier process with the number of a living one', { pid: process.pid, started: 'long ago', id: 'x' }],
    ['nobody: it is half written', '{"pid":'],
  ])('takes over a claim of %s', async (_, claim) => {
    await writeFile(join(directory, 'lock'), typeof claim === 'string' ? claim : JSON.stringify(claim));
    await lockDirectory(directory);
    expect(JSON.parse(await readFile(join(directory, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid });
    expect(await readdir(directory)).toEqual(['lock']);
  });
});
