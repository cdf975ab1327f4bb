import { verifies } from '@agentstration/test/verifies';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineReader } from './line-reader.ts';

const limit = 200;

/** What a reader makes of bytes that arrive in pieces of those sizes. */
function read(bytes: Buffer, sizes: readonly number[]) {
  const seen: unknown[] = [];
  const reader = new LineReader(limit, { onLine: (text) => seen.push(text), onTooLong: (id) => seen.push({ tooLong: id }) });
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    reader.push(bytes.subarray(at, at + size));
    at += size;
  }
  return seen;
}

const message = fc.record({
  result: fc.anything({
    values: [fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant('"id":7'), fc.constant('{}[]\\"')],
    maxDepth: 3,
  }),
  padding: fc.oneof(fc.constant(''), fc.constant('x'.repeat(300))),
  id: fc.nat(),
});

describe('a line reader', () => {
  it(verifies('PROV-010', 'reads the same lines however they arrive, and finds the id of each that is too long'), () => {
    fc.assert(
      fc.property(fc.array(message), fc.array(fc.nat(64)), fc.boolean(), (messages, sizes, idFirst) => {
        const lines = messages.map(({ result, padding, id }) =>
          JSON.stringify(
            idFirst ? { jsonrpc: '2.0', id, result: { result, padding } } : { result: { result, padding }, jsonrpc: '2.0', id },
          ),
        );
        const expected = lines.map((line, index) => (Buffer.byteLength(line) > limit ? { tooLong: messages[index]?.id } : line));
        expect(read(Buffer.from(lines.map((line) => `${line}\n`).join('')), sizes)).toEqual(expected);
      }),
    );
  });

  it(verifies('PROV-010', 'finds no id where there is none on the top level'), () => {
    const padding = 'x'.repeat(3_000);
    for (const line of [padding, JSON.stringify({ params: { id: 7, padding } }), `[{"id":7,"padding":"${padding}"}]`])
      expect(read(Buffer.from(`${line}\n`), [])).toEqual([{ tooLong: undefined }]);
    expect(read(Buffer.from(`{"id":"a-7","result":"${padding}"}\n`), [])).toEqual([{ tooLong: 'a-7' }]);
  });

  it(verifies('PROV-018', 'skips empty lines, takes CRLF, and does not wait for a line that never ends'), () => {
    expect(read(Buffer.from('\n\r\none\r\n two \nrest'), [])).toEqual(['one', 'two']);
    expect(read(Buffer.alloc(100_000, 'x'), [10, 10])).toEqual([]);
  });
});
