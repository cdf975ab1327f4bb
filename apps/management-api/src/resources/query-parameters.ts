import { ProblemError } from '@agentstration/service-kit';

/** A parsed query string: a parameter that is given twice is a list. */
export type QueryParameters = Readonly<Record<string, unknown>>;

/** Refuses what the route does not know: a misspelt filter would otherwise answer everything. */
export function refuseUnknown(query: QueryParameters, known: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const allowed = known.length === 0 ? 'this route takes none' : `allowed are ${known.join(', ')}`;
  throw new ProblemError('invalid_parameter', `${JSON.stringify(unknown.slice(0, 64))} is not a query parameter here: ${allowed}`);
}

/** The one value of a parameter; undefined when it is absent. */
export function readOne(query: QueryParameters, name: string): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new ProblemError('invalid_parameter', `${name} must be given once`);
  return value;
}

/** `limit`: 1 to 200, default 50. */
export function readLimit(query: QueryParameters): number {
  const text = readOne(query, 'limit') ?? '50';
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 200) throw new ProblemError('invalid_limit', 'limit must be an integer from 1 to 200');
  return limit;
}
