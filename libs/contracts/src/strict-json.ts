import { type JSONVisitor, printParseErrorCode, visit } from 'jsonc-parser';
import { pointerSegment } from './json-pointer.ts';

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

export interface StrictJsonOptions {
  /** A member of the top object whose content may break the rules that JSON.parse does not have. */
  readonly lenientWithin?: string;
}

const maximumDepth = 64;
/** Where nesting is forgiven: no reader's stack is exhausted by it. */
const lenientDepth = 1024;

/**
 * Reads JSON that means the same to every reader: UTF-8 without lone surrogates, no duplicate keys, nesting of at most
 * 64, and no number that changes when read as a double (RFC 7493, I-JSON, made stricter). A silent change is worse than
 * a refusal. Takes time and stack in proportion to the text, whatever the text is.
 *
 * @throws StrictJsonError naming the first fault and its place.
 */
export function parseStrictJson(input: string | Uint8Array, options: StrictJsonOptions = {}): unknown {
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  visit(text, strictVisitor(text, options), { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The visitor is more tolerant than RFC 8259 here and there.
    throw new StrictJsonError('', 'Not JSON');
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new StrictJsonError('', 'The text is not UTF-8');
  }
}

type Path = readonly (string | number)[];
const toPointer = (path: Path): string => path.map(pointerSegment).join('');

/** Throws at the first fault, from within the visit: a parser that goes on after `[[[[…` would exhaust the stack. */
function strictVisitor(text: string, { lenientWithin }: StrictJsonOptions): JSONVisitor {
  const keys: Set<string>[] = [];
  const refuse = (path: Path, reason: string): void => {
    if (lenientWithin === undefined || path[0] !== lenientWithin) throw new StrictJsonError(toPointer(path), reason);
  };
  let topMember: string | undefined;
  const enter = (path: () => (string | number)[]): void => {
    keys.push(new Set());
    const maximum = lenientWithin !== undefined && topMember === lenientWithin ? lenientDepth : maximumDepth;
    if (keys.length > maximum) throw new StrictJsonError(toPointer(path().slice(0, 8)), `Nesting is deeper than ${maximumDepth}`);
  };
  return {
    onObjectBegin: (...[, , , , path]) => enter(path),
    onArrayBegin: (...[, , , , path]) => enter(path),
    onObjectEnd: () => void keys.pop(),
    onArrayEnd: () => void keys.pop(),
    onObjectProperty: (...[key, , , , , path]) => {
      if (keys.length === 1) topMember = key;
      const seen = keys.at(-1);
      if (seen?.has(key)) refuse([...path(), key], 'Duplicate key');
      if (!key.isWellFormed()) refuse(path(), 'A key with a lone surrogate');
      seen?.add(key);
    },
    onLiteralValue: (...[value, offset, length, , , path]: [unknown, number, number, number, number, () => (string | number)[]]) => {
      if (typeof value === 'string' && !value.isWellFormed()) refuse(path(), 'A string with a lone surrogate');
      if (typeof value === 'number' && !survivesDouble(text.slice(offset, offset + length)))
        refuse(path(), 'A number that changes when read as a double (send it as a string)');
    },
    onError: (code, offset) => {
      throw new StrictJsonError('', `Not JSON (${printParseErrorCode(code)} at character ${offset})`);
    },
  };
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
  const significant = withoutTrailingZeros(digits);
  if (significant === '') return '0';
  // An exponent that a double cannot count is far outside of what a double can hold: the comparison fails all the same.
  return `${significant}e${Number(exponent) - fraction.length + (digits.length - significant.length)}`;
}

/** By hand: `/0+$/` takes quadratic time on a long row of zeros that something else ends. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
