import { isPathSafeId } from '@agentstration/contracts';
import { ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';

/** An absent property is fine; an explicit null is not, unlike with `IsOptional`. */
export const isGiven = (_: object, value: unknown): boolean => value !== undefined;

@ValidatorConstraint({ name: 'isPathSafeId' })
export class IsPathSafeId implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return typeof value === 'string' && isPathSafeId(value);
  }
  defaultMessage(): string {
    return '$property must be 1 to 128 printable ASCII characters without space, and neither . nor ..';
  }
}
