import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { entityTagOf, isKnownToCaller, parseEntityTags, satisfiesIfMatch, yamlEntityTag } from './entity-tag.ts';

const resource = { uid: 'b7', revision: 3 } as Parameters<typeof satisfiesIfMatch>[1];
const ifMatch = (header: string): boolean => satisfiesIfMatch(parseEntityTags(header, 'If-Match') ?? [], resource);
const known = (header: string): boolean => isKnownToCaller(parseEntityTags(header, 'If-None-Match'), entityTagOf(resource));

describe('entity tags', () => {
  it.each([
    ['"b7.3"', true],
    ['*', true],
    [' * ', true],
    ['"x", "b7.3"', true],
    [',, "b7.3" ,', true],
    ['"b7.3.yaml"', true],
    ['W/"b7.3"', false],
    ['W/"x", "b7.3"', true],
    ['"b7.2"', false],
    ['"B7.3"', false],
    ['"b7.3,b7.4"', false],
  ])(verifies('RES-007', 'If-Match: %s'), (header, matched) => expect(ifMatch(header)).toBe(matched));

  it.each([
    ['"b7.3"', true],
    ['W/"b7.3"', true],
    ['"x", W/"b7.3"', true],
    ['*', true],
    ['"b7.2"', false],
    ['"b7.3.yaml"', false],
  ])(verifies('RES-008', 'If-None-Match: %s'), (header, has) => expect(known(header)).toBe(has));

  it.each(['b7.3', '"b7.3', '"a" "b"', '', ' ', ',', '"a", *', "'a'", 'w/"a"', '"a";q=1', '"a\u0001"'])(
    verifies('RES-007', '%j is refused'),
    (header) => expect(() => parseEntityTags(header, 'If-Match')).toThrow(/If-Match must be/),
  );

  it(verifies('RES-007', 'an absent header is no header'), () => expect(parseEntityTags(undefined, 'If-Match')).toBeUndefined());

  it(verifies('RES-007', 'reads any list of legal tags back'), () => {
    const text = fc.string({ unit: fc.constantFrom(...'aZ09.,;!#*[]{}~'), maxLength: 8 });
    const tag = fc.record({ weak: fc.boolean(), text }).map(({ weak, text: inner }) => ({ weak, tag: `"${inner}"` }));
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1 }), fc.constantFrom(',', ', ', ' ,\t', ',,'), (tags, separator) => {
        const header = tags.map(({ weak, tag: quoted }) => (weak ? 'W/' : '') + quoted).join(separator);
        expect(parseEntityTags(header, 'If-Match')).toEqual(tags);
      }),
    );
  });

  it(verifies('RES-008', 'a header of a megabyte is read in no time'), () => {
    const started = Date.now();
    for (const filler of [',', '" ', '"a",', ' ', 'W/']) {
      try {
        parseEntityTags(filler.repeat(300_000), 'If-Match');
      } catch {
        // refused is fine; slow is not
      }
    }
    expect(Date.now() - started).toBeLessThan(1500);
  });

  it(verifies('RES-017', 'a YAML answer has another strong tag'), () => expect(yamlEntityTag('"b7.3"')).toBe('"b7.3.yaml"'));
});
