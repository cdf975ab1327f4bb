import type { PipeTransform, Type } from '@nestjs/common';

/**
 * A pipe for `@Body(validateBody(PutHookBody))`: an instance of the class-validator DTO, or 422 `invalid_definition`
 * with a JSON pointer for every fault at once, unknown properties included.
 */
export const validateBody = <Body extends object>(_type: Type<Body>): PipeTransform<unknown, Promise<Body>> => ({
  transform: () => Promise.reject(new Error('being written')),
});
