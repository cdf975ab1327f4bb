import { type Logger, pino } from 'pino';

/** A logger that says which service speaks. `level` defaults to `info`. */
export const createLogger = (name: string, level = 'info'): Logger => pino({ name, level });
