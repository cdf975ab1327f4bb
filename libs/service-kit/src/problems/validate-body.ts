import 'reflect-metadata';
import { pointerSegment } from '@agentstration/contracts';
import type { PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate } from 'class-validator';
import { ProblemError } from './problem-error.ts';
import { toFaults } from './to-faults.ts';

/**
 * A pipe for `@Body(validateBody(PutHookBody))`: an instance of the class-validator DTO, or 422 `invalid_definition`
 * with a JSON pointer for every fault at once, unknown properties included. Nested DTOs need `@Type` and
 * `@ValidateNested`.
 */
export const validateBody = <Body extends object>(type: Type<Body>): PipeTransform<unknown, Promise<Body>> => ({
  async transform(body) {
    if (body === undefined) throw new ProblemError('malformed_request', 'A body is required');
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw new ProblemError('invalid_definition', 'The body must be an object', {
        errors: [{ pointer: '', code: 'type', message: 'must be an object' }],
      });
    }
    refuseConstructors(body);
    const instance = plainToInstance(type, body);
    const errors = toFaults(await validate(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true }));
    if (errors.length > 0) throw new ProblemError('invalid_definition', summarize(errors.length), { errors });
    return instance;
  },
});

/**
 * No DTO has a property of that name, and the converter takes it for the class of its object, whatever it is.
 * (typestack/class-transformer reads `value.constructor`.)
 */
function refuseConstructors(value: object, pointer = ''): void {
  if (Object.hasOwn(value, 'constructor')) {
    const errors = [{ pointer: `${pointer}/constructor`, code: 'unknown_property', message: 'is not a known property' }];
    throw new ProblemError('invalid_definition', summarize(1), { errors });
  }
  for (const [name, child] of Object.entries(value) as [string, unknown][]) {
    if (typeof child === 'object' && child !== null) refuseConstructors(child, `${pointer}${pointerSegment(name)}`);
  }
}

const summarize = (faults: number): string => (faults === 1 ? 'The body has a fault' : `The body has ${faults} faults`);
