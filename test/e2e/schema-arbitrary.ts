import fc, { type Arbitrary } from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, object>>;

/** Any JSON, biased towards what breaks parsers and databases. */
export const anyJson: Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, -1, 1e308, 2 ** 53, '', ' ', '\u0000', '😀', '../..', "'; --", '%00', '${x}', [], {}),
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'name', 'definition')), tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Values that a JSON Schema admits, of the keywords that the product's documents use. */
export function arbitraryOf(schema: object, schemas: Schemas): Arbitrary<unknown> {
  const { $ref, const: only, enum: choices, oneOf, type } = schema as Schema;
  if (typeof $ref === 'string') return arbitraryOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {}, schemas);
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(choices)) return fc.constantFrom(...(choices as unknown[]));
  if (Array.isArray(oneOf)) return fc.oneof(...(oneOf as object[]).map((one) => arbitraryOf(one, schemas)));
  if (Array.isArray(type)) return fc.oneof(...(type as string[]).map((one) => arbitraryOf({ ...schema, type: one }, schemas)));
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer(boundsOf(schema as Schema));
    case 'string':
      return textOf(schema as Schema);
    case 'array':
      return listOf(schema as Schema, schemas);
    case 'object':
      return objectOf(schema as Schema, schemas);
    default:
      return anyJson;
  }
}

const boundsOf = ({ minimum = -1000, maximum = 1000 }: Schema): { min: number; max: number } => ({
  min: minimum as number,
  max: Math.max(maximum as number, minimum as number),
});

function textOf({ pattern, minLength = 0, maxLength = 64 }: Schema): Arbitrary<string> {
  const limits = { minLength: minLength as number, maxLength: Math.min(maxLength as number, 300) };
  if (typeof pattern !== 'string') return fc.string(limits);
  return fc.stringMatching(new RegExp(pattern)).filter((text) => text.length >= limits.minLength && text.length <= limits.maxLength);
}

const listOf = ({ items = {}, minItems = 0, maxItems = 5, uniqueItems }: Schema, schemas: Schemas): Arbitrary<unknown[]> => {
  const limits = { minLength: minItems as number, maxLength: Math.min(maxItems as number, 5) };
  const item = arbitraryOf(items as object, schemas);
  return uniqueItems === true ? fc.uniqueArray(item, limits) : fc.array(item, limits);
};

function objectOf(schema: Schema, schemas: Schemas): Arbitrary<object> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const fields = Object.entries(properties as Schemas).map(([name, property]) => [name, arbitraryOf(property, schemas)] as const);
  const known = fc.record(Object.fromEntries(fields), { requiredKeys: required as string[] });
  if (typeof additionalProperties !== 'object' || additionalProperties === null) return known;
  const names = textOf((propertyNames ?? {}) as Schema);
  const others = fc.dictionary(names, arbitraryOf(additionalProperties, schemas), { maxKeys: 3 });
  return fc.tuple(known, others).map(([one, other]) => ({ ...other, ...one }));
}

/** The value with one place of it made into anything. */
export const spoil = (value: Arbitrary<unknown>): Arbitrary<unknown> =>
  fc.tuple(value, fc.array(fc.nat(7), { maxLength: 4 }), anyJson).map(([whole, path, wrong]) => replaceAt(whole, path, wrong));

function replaceAt(value: unknown, [step, ...rest]: readonly number[], wrong: unknown): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return wrong;
  const entries = Object.entries(value);
  if (entries.length === 0) return wrong;
  const at = step % entries.length;
  const changed = entries.map(([name, child], index) => [name, index === at ? replaceAt(child, rest, wrong) : (child as unknown)] as const);
  return Array.isArray(value) ? changed.map(([, child]) => child) : Object.fromEntries(changed);
}
