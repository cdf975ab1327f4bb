import { isError } from './is-error.ts';

/** An error as the log shows it. */
export interface DescribedError {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  readonly stack: readonly string[];
  readonly cause?: DescribedError;
}

/** Errors whose messages quote what they choked on: a row, a statement's values, a piece of a document. */
const quoting = new Set(['SyntaxError', 'QueryFailedError', 'DatabaseError', 'error']);

/** Type, code, stack and (where it quotes no data) message of an error; none of its other properties. */
export function describeError(error: unknown): DescribedError | string {
  if (!isError(error)) return `not an error but ${typeof error}`;
  return describe(error, 3);
}

function describe(error: Error, depth: number): DescribedError {
  const { code } = error as { code?: unknown };
  const type = error.constructor.name;
  const message = quoting.has(type) || quoting.has(error.name) ? {} : { message: error.message.slice(0, 500) };
  return {
    type,
    ...(typeof code === 'string' ? { code } : {}),
    ...message,
    stack: framesOf(error),
    ...(isError(error.cause) && depth > 0 ? { cause: describe(error.cause, depth - 1) } : {}),
  };
}

/** The frames alone: the stack's first lines repeat the message. */
const framesOf = ({ stack = '' }: Error): string[] =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim())
    .slice(0, 20);
