import { describe, expect, it } from '@jest/globals';
import { toStoreError } from './store-failure.ts';

describe('what a database error means', () => {
  it.each([
    ['53100', 'its disk is full: make room'],
    ['53300', 'no connection left: raise its max_connections'],
    ['42P01', 'run the migrations'],
    ['57P03', 'it does not serve (57P03)'],
  ])('says of %s what to do', (code, words) => {
    expect(toStoreError(Object.assign(new Error('of the driver'), { code }))).toMatchObject({
      name: 'StoreUnavailable',
      message: expect.stringContaining(words),
    });
  });
});
