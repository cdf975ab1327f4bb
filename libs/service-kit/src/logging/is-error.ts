import { types } from 'node:util';

/** Whether it is an error, also one of another realm (a vm context has an `Error` of its own). */
export const isError = (value: unknown): value is Error => value instanceof Error || types.isNativeError(value);
