import type { RequestHandler } from 'express';
import { ProblemError } from '../problems/problem-error.ts';

/**
 * `.` and `..` are no ids, also when percent-encoded: intermediaries resolve them (RFC 3986, section 5.2.4), so that we
 * and they would see different paths. A percent sign must begin a well-formed escape.
 */
export const refuseDotSegments: RequestHandler = (request, _response, next) => {
  for (const segment of request.path.split('/')) {
    const decoded = decode(segment);
    if (decoded === undefined) return next(new ProblemError('malformed_request', 'The path holds a malformed percent-encoding'));
    if (decoded === '.' || decoded === '..') return next(new ProblemError('malformed_request', 'A path segment must not be "." or ".."'));
  }
  next();
};

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
