import { Ajv2020, type ErrorObject, type SchemaObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { pointerSegment } from './json-pointer.ts';

/** One thing wrong with a document: where (RFC 6901), a stable code, and what is allowed. Never the offending value. */
export interface Fault {
  readonly pointer: string;
  readonly code: string;
  readonly message: string;
}

const ajv = new Ajv2020({ allErrors: true, verbose: true, strict: true, strictRequired: false, allowUnionTypes: true });
addFormats.default(ajv, ['date-time']);

/**
 * Compiles a JSON Schema once; the check answers every fault at once, an empty list for a valid document. A schema's
 * `description` completes the sentence "must be …" and so tells what is allowed.
 */
export function compileSchema(schema: SchemaObject): (document: unknown) => Fault[] {
  const validate = ajv.compile(schema);
  return (document) => (validate(document) ? [] : tell(validate.errors ?? []));
}

/** A document that is not valid has at least one fault, also when only a combining keyword found it. */
function tell(errors: readonly ErrorObject[]): Fault[] {
  const own = errors.filter(isOwn);
  return saidOnce((own.length > 0 ? own : errors).map(toFault));
}

/** Two keywords may find the same: a time that has neither the format nor the pattern of one. */
function saidOnce(faults: readonly Fault[]): Fault[] {
  const said = new Set<string>();
  return faults.filter(({ pointer, code, message }) => said.size < said.add(JSON.stringify([pointer, code, message])).size);
}

/** These only repeat what their branches already said. */
const isOwn = (error: ErrorObject): boolean => !['if', 'oneOf', 'anyOf', 'propertyNames'].includes(error.keyword);

/** Codes of the product for the keywords of JSON Schema; others keep the keyword's name. */
const codes: Readonly<Record<string, string>> = {
  type: 'wrong_type',
  pattern: 'wrong_format',
  format: 'wrong_format',
  minLength: 'too_short',
  maxLength: 'too_long',
  minimum: 'too_small',
  maximum: 'too_large',
  minItems: 'too_few',
  maxItems: 'too_many',
  maxProperties: 'too_many',
};

function toFault(error: ErrorObject): Fault {
  const at = error.propertyName === undefined ? error.instancePath : `${error.instancePath}${pointerSegment(error.propertyName)}`;
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return { pointer: `${at}${pointerSegment(String(params.missingProperty))}`, code: 'required', message: 'is required' };
    case 'additionalProperties':
      return {
        pointer: `${at}${pointerSegment(String(params.additionalProperty))}`,
        code: 'unknown_property',
        message: 'is not a known property',
      };
    case 'enum':
      return { pointer: at, code: 'not_allowed', message: `must be one of ${(params.allowedValues as unknown[]).join(', ')}` };
    case 'const':
      return { pointer: at, code: 'not_allowed', message: `must be ${JSON.stringify(params.allowedValue)}` };
    default:
      return { pointer: at, code: codes[error.keyword] ?? error.keyword, message: describe(error) };
  }
}

function describe(error: ErrorObject): string {
  const { description } = (error.parentSchema ?? {}) as { description?: string };
  return description === undefined ? (error.message ?? 'is not valid') : `must be ${description}`;
}
