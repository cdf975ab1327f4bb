import { type TOptional, type TSchema, type TString, Type } from 'typebox';

/** An object with exactly these keys. */
export const section = <Properties extends Record<string, TSchema>>(properties: Properties, description?: string) =>
  Type.Object(properties, { additionalProperties: false, default: {}, ...(description === undefined ? {} : { description }) });

/** An object whose keys the operator chooses; their case is kept. */
export const mapOf = <Value extends TSchema>(key: string, value: Value, description: string) =>
  Type.Record(Type.String({ pattern: key }), value, { additionalProperties: false, default: {}, description });

/** What a value must look like, and the same in words that follow `must be`. */
export interface Form {
  readonly pattern: string;
  readonly title: string;
}

export const httpUrl: Form = { pattern: '^https?://[^\\s@]+$', title: 'an http:// or https:// URL without user and password' };

export const text = (description: string, more: { default?: string } | Form = {}) => Type.String({ minLength: 1, description, ...more });

export const flag = (description: string, byDefault: boolean) => Type.Boolean({ description, default: byDefault });

export const whole = (description: string, range: { default: number; minimum: number; maximum: number }) =>
  Type.Integer({ description, ...range });

export const choice = <Values extends string[]>(description: string, values: [...Values], byDefault: Values[number]) =>
  Type.Enum(values, { description, default: byDefault });

/** A list of texts, each in the given form. */
export const texts = (description: string, more: { default?: string[]; minItems?: number; form?: Form } = {}) => {
  const { form, ...list } = more;
  return Type.Array(Type.String({ minLength: 1, ...form }), { description, ...list });
};

type SecretKeys<Key extends string> = Record<Key | `${Key}File`, TOptional<TString>>;

/** `<key>` and `<key>File`: the value itself, or the path of a file that holds it. */
export function secret<Key extends string>(key: Key, description: string): SecretKeys<Key> {
  const keys = {
    [key]: Type.Optional(Type.String({ minLength: 1, description })),
    [`${key}File`]: Type.Optional(
      Type.String({ minLength: 1, description: `Path of a file that holds \`${key}\`; a final line break is dropped.` }),
    ),
  };
  return keys as SecretKeys<Key>;
}
