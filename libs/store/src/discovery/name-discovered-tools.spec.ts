import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { matches } from '@agentstration/contracts';
import { verifies } from '@agentstration/test/verifies';
import fc from 'fast-check';
import { nameDiscoveredTools } from './name-discovered-tools.ts';

const hash = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 8);
const nameAll = (externalNames: Iterable<string>, existing = new Map<string, string>()) =>
  nameDiscoveredTools({ providerName: 'p', externalNames, existing });

describe('the names of discovered tools', () => {
  it(verifies('STORE-023', 'are the provider’s own where they are legal, and marked by a hash where not'), () => {
    const { names, refused } = nameAll(['echo', 'get-sum', 'a/b', 'a b', '', 'x.', 'ä', 'X']);
    expect(refused).toEqual([]);
    expect(Object.fromEntries(names)).toEqual({
      echo: 'p.echo',
      'get-sum': 'p.get-sum',
      X: 'p.X',
      'a/b': `p.a-b-${hash('a/b')}`,
      'a b': `p.a-b-${hash('a b')}`,
      '': `p.-${hash('')}`,
      'x.': `p.x.-${hash('x.')}`,
      ä: `p.--${hash('ä')}`,
    });
  });

  it(verifies('STORE-023', 'are never taken from the one that they belong to'), () => {
    const marked = `a-b-${hash('a/b')}`;
    expect(nameAll(['a/b', marked])).toEqual({ names: new Map([[marked, `p.${marked}`]]), refused: ['a/b'] });
    // The other way round in time: who was there first keeps the name, and the newcomer is marked.
    const existing = new Map([['a/b', `p.${marked}`]]);
    expect(nameAll([marked, 'a/b'], existing).names).toEqual(
      new Map([
        ['a/b', `p.${marked}`],
        [marked, `p.${marked}-${hash(marked)}`],
      ]),
    );
  });

  it(verifies('STORE-024', 'that collide all the same are refused, and the refusal is told'), () => {
    const marked = `a-b-${hash('a/b')}`;
    const existing = new Map([
      ['gone', `p.${marked}`],
      ['gone too', `p.${marked}-${hash(marked)}`],
    ]);
    expect(nameAll(['a/b', marked, 'echo'], existing)).toEqual({ names: new Map([['echo', 'p.echo']]), refused: [marked, 'a/b'] });
  });

  const externalNames = fc.uniqueArray(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.stringMatching(/^[a-c./ -]{0,6}$/),
      fc.string({ unit: 'grapheme', minLength: 200, maxLength: 300 }),
      fc.stringMatching(/^[a-b/]{1,3}$/).map((name) => `${name.replaceAll('/', '-')}-${hash(name)}`),
    ),
    { maxLength: 40 },
  );

  it(verifies('STORE-023', 'are legal, unique and complete, and do not depend on the order of the list'), () => {
    fc.assert(
      fc.property(externalNames, fc.constantFrom('p', 'provider-1', 'x'.repeat(63)), (offered, providerName) => {
        const { names, refused } = nameDiscoveredTools({ providerName, externalNames: offered });
        expect([...names.keys(), ...refused].sort()).toEqual([...offered].sort());
        expect(new Set(names.values()).size).toBe(names.size);
        for (const [externalName, name] of names) {
          expect([name, matches('resourceName', name)]).toEqual([name, true]);
          expect(name.startsWith(`${providerName}.`)).toBe(true);
          if (matches('resourceName', `${providerName}.${externalName}`)) expect(name).toBe(`${providerName}.${externalName}`);
        }
        const reversed = nameDiscoveredTools({ providerName, externalNames: [...offered].reverse() });
        expect([reversed.names, reversed.refused]).toEqual([names, refused]);
      }),
    );
  });

  it(verifies('STORE-023', 'stay for ever, whatever else comes and goes'), () => {
    fc.assert(
      fc.property(fc.array(externalNames, { minLength: 1, maxLength: 5 }), (discoveries) => {
        const existing = new Map<string, string>();
        for (const offered of discoveries) {
          const before = new Map(existing);
          const { names } = nameAll(offered, existing);
          for (const [externalName, name] of names) existing.set(externalName, name);
          for (const [externalName, name] of before) expect(existing.get(externalName)).toBe(name);
          expect(new Set(existing.values()).size).toBe(existing.size);
        }
      }),
    );
  });
});
