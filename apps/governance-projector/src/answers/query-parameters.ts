import type { ProblemCode } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';

/** A parsed query string: a parameter that is given twice is a list. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/** Refuses what the route does not know: a misspelt filter would otherwise answer everything. */
export function refuseUnknown(query: QueryParameters, known: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const name = JSON.stringify(unknown.slice(0, 64));
  throw new ProblemError('invalid_parameter', `${name} is not a query parameter here: allowed are ${known.join(', ')}`);
}

/** The one value of a parameter; undefined when it is absent. */
export function readOne(query: QueryParameters, name: string, code: ProblemCode = 'invalid_parameter'): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value === '') throw new ProblemError(code, `${name} must be given once, and not empty`);
  return value;
}

/** What a whole number may be, and the code of the problem when it is not. */
export interface WholeNumber {
  readonly minimum: number;
  readonly maximum?: number;
  readonly code: ProblemCode;
}

/** A whole number in decimal digits; undefined when it is absent. */
export function readWhole(query: QueryParameters, name: string, { minimum, maximum, code }: WholeNumber): number | undefined {
  const text = readOne(query, name, code);
  if (text === undefined) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= minimum && value <= (maximum ?? value)) return value;
  const range = maximum === undefined ? `${minimum} or more` : `from ${minimum} to ${maximum}`;
  throw new ProblemError(code, `${name} must be a whole number, ${range}`);
}

/** One of some words in any case; undefined when it is absent. */
export function readWord<Word extends string>(
  query: QueryParameters,
  name: string,
  { words, code }: { readonly words: readonly Word[]; readonly code: ProblemCode },
): Word | undefined {
  const text = readOne(query, name, code)?.toLowerCase();
  if (text === undefined) return undefined;
  const word = words.find((candidate) => candidate.toLowerCase() === text);
  if (word === undefined) throw new ProblemError(code, `${name} must be one of ${words.map((each) => each.toLowerCase()).join(', ')}`);
  return word;
}

/** A moment (RFC 3339) in milliseconds since 1970; undefined when it is absent. */
export function readTime(query: QueryParameters, name: string): number | undefined {
  const text = readOne(query, name, 'invalid_time');
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new ProblemError('invalid_time', `${name} must be a moment such as 2026-12-01T00:00:00Z (RFC 3339)`);
  return time;
}
