import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeText, encodeText } from './text-codec.ts';

describe('text for PostgreSQL', () => {
  it(verifies('PROJ-011', 'comes back exactly, lone surrogates included, and holds nothing that PostgreSQL refuses'), () => {
    const anyText = fc.string({
      unit: fc.oneof(fc.constantFrom('\0', '\ud800', '\udc00', '\ue000', '\u{1F600}', 'e'), fc.string({ unit: 'binary' })),
    });
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = encodeText(text);
        expect(stored.isWellFormed() && !stored.includes('\0')).toBe(true);
        expect(decodeText(stored)).toBe(text);
      }),
    );
  });

  it.each(['\ue0000041', '\ue000', '\ue000e0000041', '\0\ue0000000'])('keeps what looks like an escape: %j', (text) => {
    expect(encodeText(text)).not.toBe(text);
    expect(decodeText(encodeText(text))).toBe(text);
  });

  it('is the text itself when nothing in it needs care', () => {
    expect(encodeText('support-agent \u{1F600} é')).toBe('support-agent \u{1F600} é');
  });
});
