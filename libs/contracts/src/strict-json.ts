import { type JSONVisitor, type ParseErrorCode, printParseErrorCode, visit } from 'jsonc-parser';

/** Why a text is not the JSON that this product reads: `pointer` is an RFC 6901 pointer, `''` the document. */
export class StrictJsonError extends Error {
  constructor(
    readonly pointer: string,
    readonly reason: string,
  ) {
    super(`${reason} at ${pointer === '' ? 'the top of the document' : pointer}`);
    this.name = 'StrictJsonError';
  }
}

const maximumDepth = 64;

/**
 * Reads JSON that means the same to every reader: UTF-8 without lone surrogates, no duplicate keys, nesting of at most
 * 64, and no number that changes when read as a double (RFC 7493, I-JSON, made stricter). A silent change is worse than
 * a refusal.
 *
 * @throws StrictJsonError naming the place.
 */
export function parseStrictJson(input: string | Uint8Array): unknown {
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  const fault = findFault(text);
  if (fault) throw fault;
  return JSON.parse(text) as unknown;
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new StrictJsonError('', 'The text is not UTF-8');
  }
}

/** The pointer of a visited place. */
const toPointer = (path: readonly (string | number)[]): string =>
  path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

function findFault(text: string): StrictJsonError | undefined {
  let fault: StrictJsonError | undefined;
  const keys: Set<string>[] = [];
  const report = (path: readonly (string | number)[], reason: string): void => {
    fault ??= new StrictJsonError(toPointer(path), reason);
  };
  const enter = (path: () => (string | number)[]): void => {
    keys.push(new Set());
    if (keys.length > maximumDepth) report(path().slice(0, 8), `Nesting is deeper than ${maximumDepth}`);
  };
  const visitor: JSONVisitor = {
    onObjectBegin: (...[, , , , path]) => (enter(path), fault === undefined),
    onArrayBegin: (...[, , , , path]) => (enter(path), fault === undefined),
    onObjectEnd: () => void keys.pop(),
    onArrayEnd: () => void keys.pop(),
    onObjectProperty: (...[key, , , , , path]) => {
      const seen = keys.at(-1);
      if (seen?.has(key)) report([...path(), key], 'Duplicate key');
      if (!key.isWellFormed()) report(path(), 'A key with a lone surrogate');
      seen?.add(key);
    },
    onLiteralValue: (...[value, offset, length, , , path]: [unknown, number, number, number, number, () => (string | number)[]]) => {
      if (typeof value === 'string' && !value.isWellFormed()) report(path(), 'A string with a lone surrogate');
      if (typeof value === 'number' && !survivesDouble(text.slice(offset, offset + length)))
        report(path(), 'A number that changes when read as a double (send it as a string)');
    },
    onError: (code: ParseErrorCode, offset) => report([], `Not JSON (${printParseErrorCode(code)} at character ${offset})`),
  };
  visit(text, visitor, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  return fault ?? syntaxFault(text);
}

/** The tolerant visitor lets a few things through that RFC 8259 does not, such as raw control characters. */
function syntaxFault(text: string): StrictJsonError | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return new StrictJsonError('', 'Not JSON');
  }
}

/** Whether the shortest text of the double denotes the same number as the text that was sent. */
function survivesDouble(raw: string): boolean {
  const double = Number(raw);
  return Number.isFinite(double) && toDecimal(raw) === toDecimal(String(double));
}

/** A canonical `digits`e`exponent` of a JSON number, without its sign: `1.50e2` -> `15e1`. */
function toDecimal(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length)}`;
}
