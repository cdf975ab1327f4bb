import { type Fault, pointerSegment } from '@agentstration/contracts';
import type { ValidationError } from 'class-validator';

/** Every fault that class-validator found, at any depth, with its JSON pointer. */
export function toFaults(errors: readonly ValidationError[], parent = ''): Fault[] {
  return errors.flatMap((error) => {
    const pointer = `${parent}${pointerSegment(error.property)}`;
    return [...ownFaults(error, pointer), ...toFaults(error.children ?? [], pointer)];
  });
}

function ownFaults({ constraints = {}, value, property }: ValidationError, pointer: string): Fault[] {
  const names = Object.keys(constraints);
  if (names.includes('whitelistValidation')) return [{ pointer, code: 'unknown_property', message: 'is not a known property' }];
  if (names.length > 0 && value === undefined) return [{ pointer, code: 'required', message: 'is required' }];
  return names.map((name) => ({ pointer, code: toSnakeCase(name), message: withoutName(constraints[name] ?? '', property) }));
}

/** `isString` -> `is_string`. */
const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The pointer says which property it is about. */
const withoutName = (message: string, property: string): string =>
  message.startsWith(`${property} `) ? message.slice(property.length + 1) : message;
