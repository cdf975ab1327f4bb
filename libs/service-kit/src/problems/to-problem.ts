import type { ProblemCode } from '@agentstration/contracts';
import { HttpException } from '@nestjs/common';
import { ProblemError } from './problem-error.ts';

/** The codes of statuses that the framework answers by itself. */
const codeOfStatus: Readonly<Record<number, ProblemCode>> = {
  401: 'unauthenticated',
  403: 'permission_denied',
  404: 'route_not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  412: 'etag_mismatch',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  422: 'invalid_definition',
  428: 'precondition_required',
  429: 'rate_limited',
  503: 'unavailable',
};

/**
 * The problem behind anything that was thrown. Problems stay as they are; 4xx exceptions of the framework are told by
 * their status; everything else is an internal error without a word of its message.
 */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  if (status === 503 || (status >= 400 && status < 500))
    return new ProblemError(codeOfStatus[status] ?? 'malformed_request', detailOf(error));
  return new ProblemError('internal_error', 'The request could not be answered; the log has the reason under the request id');
}

/** Express and its middleware mark faults of the request with a status. */
function statusOf(error: unknown): number {
  const { status, expose } = (error ?? {}) as { status?: unknown; expose?: unknown };
  return typeof status === 'number' && expose === true ? status : 500;
}

/** The framework's own words are about the request, but some of them quote it. */
function detailOf(error: unknown): string {
  const { message } = error as Error;
  return /^Failed to decode param/.test(message) ? 'The path holds a malformed percent-encoding' : message;
}
