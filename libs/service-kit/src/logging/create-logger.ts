import { type Logger, type LoggerOptions, pino } from 'pino';
import { describeError } from './describe-error.ts';
import { requestBindings } from './request-context.ts';

/** What every logger of the product has in common: who speaks, for which request, and errors without what they might quote. */
export const loggerOptions = (name: string, level = 'info'): LoggerOptions => ({
  name,
  level,
  // A copy: pino writes into what it gets.
  mixin: () => ({ ...requestBindings() }),
  serializers: { err: describeError, error: describeError },
});

/** A logger that says which service speaks, on standard output. `level` defaults to `info`. */
export const createLogger = (name: string, level = 'info'): Logger => pino(loggerOptions(name, level));
