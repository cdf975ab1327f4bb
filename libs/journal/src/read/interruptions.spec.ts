import { describe, expect, it } from '@jest/globals';
import { verifies } from '@agentstration/test/verifies';
import { Interruptions, JournalBehind } from './interruptions.ts';
import { JournalBroken } from './journal-broken.ts';

describe('Interruptions', () => {
  it(verifies('JREAD-004', 'gives a new leader ten seconds to catch up, and then raises the alarm'), () => {
    const heard: string[] = [];
    const interruptions = new Interruptions(({ message }) => heard.push(message));
    interruptions.report(new JournalBehind('it ends at 4'), 0);
    interruptions.report(new JournalBehind('it ends at 4'), 10_000);
    expect(heard).toEqual(['it ends at 4', 'it ends at 4']);
    expect(() => interruptions.report(new JournalBehind('it ends at 4'), 10_001)).toThrow(JournalBroken);
  });

  it('begins anew once the reading went on', () => {
    const interruptions = new Interruptions(undefined);
    interruptions.report(new JournalBehind(''), 0);
    interruptions.over();
    expect(() => interruptions.report(new JournalBehind(''), 60_000)).not.toThrow();
  });

  it(verifies('JREAD-003', 'lets everything pass but a broken Journal'), () => {
    const interruptions = new Interruptions(undefined);
    expect(() => interruptions.report(new Error('heartbeats missed'), 0)).not.toThrow();
    expect(() => interruptions.report('thrown', 0)).not.toThrow();
    expect(() => interruptions.report(new JournalBroken('gap', ''), 0)).toThrow(JournalBroken);
  });
});
