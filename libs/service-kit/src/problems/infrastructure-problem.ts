import { isError } from '../logging/is-error.ts';
import { ProblemError } from './problem-error.ts';

/** Socket errors, PostgreSQL shutting down, refusing or cancelling, as `code` of an error. */
const codes =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08...|57P0[1-5]|57014|53...|40001|40P01|25006)$/;

/** Errors of the clients that have no code: `pg` has messages of its own, the NATS client has names. */
const messages = /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;
const names = new Set([
  'ConnectionError',
  'ClosedConnectionError',
  'DrainingConnectionError',
  'TimeoutError',
  'NoResponders',
  'RequestError',
  'JetStreamNotEnabled',
]);

/** How long a caller should wait, in seconds: about as long as a database or broker takes to come back. */
const retryAfterSeconds = 2;

/** 503 with `Retry-After` for errors that say that a database or broker cannot be reached at the moment. */
export function infrastructureProblem(error: unknown): ProblemError | undefined {
  return chainOf(error).some(isOutage) ? unavailable('A part of the system cannot be reached at the moment') : undefined;
}

/** 503 `unavailable` with `Retry-After`. */
export const unavailable = (detail: string): ProblemError =>
  new ProblemError('unavailable', detail, { headers: { 'Retry-After': String(retryAfterSeconds) } });

function isOutage(error: Error): boolean {
  const { code } = error as { code?: unknown };
  return (typeof code === 'string' && codes.test(code)) || messages.test(error.message) || names.has(error.name);
}

/** The error and what lies below it: `cause`, TypeORM's `driverError`, the parts of an `AggregateError`. */
function chainOf(error: unknown, depth = 5): Error[] {
  if (!isError(error) || depth === 0) return [];
  const { cause, driverError, errors } = error as { cause?: unknown; driverError?: unknown; errors?: unknown };
  const below = [cause, driverError, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return [error, ...below.flatMap((one) => chainOf(one, depth - 1))];
}
