import type { Fault } from '@agentstration/contracts';

/** A definition with its defaults filled in, or every fault of what was sent. Pointers are relative to the definition. */
export type Validated<Definition> =
  { readonly ok: true; readonly definition: Definition } | { readonly ok: false; readonly faults: readonly Fault[] };

/** More are not listed: whoever sends a thousand faults does not read them, and an answer has a size. */
const maximumFaults = 500;

/** The definition when nothing is wrong; else the faults, each said once. */
export function conclude<Definition>(faults: readonly Fault[], complete: () => Definition): Validated<Definition> {
  if (faults.length === 0) return { ok: true, definition: complete() };
  const said = new Set<string>();
  const isNews = ({ pointer, message }: Fault): boolean => said.size < said.add(`${pointer}\n${message}`).size;
  return { ok: false, faults: faults.filter(isNews).slice(0, maximumFaults) };
}

/** The faults of a part, seen from the whole. */
export const below = (pointer: string, faults: readonly Fault[]): Fault[] =>
  faults.map((fault) => ({ ...fault, pointer: pointer + fault.pointer }));

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Free text of 1 to `maxLength` characters (code points). PostgreSQL has no place for U+0000. */
export const textSchema = <Length extends number>(maxLength: Length) =>
  ({
    type: 'string',
    minLength: 1,
    maxLength,
    pattern: '^\\s*[^\\s\\u0000][^\\u0000]*$',
    description: `1 to ${maxLength} characters, not only white space and none of them U+0000`,
  }) as const;
