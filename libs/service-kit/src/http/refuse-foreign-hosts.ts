import type { RequestHandler } from 'express';
import { isLoopback } from '../configuration/check-rules.ts';
import { ProblemError } from '../problems/problem-error.ts';

/**
 * Only for Development mode: a page of a foreign name that resolves to 127.0.0.1 must not reach us through a browser
 * (DNS rebinding). Such a request carries that name in `Host`.
 */
export const refuseForeignHosts: RequestHandler = (request, _response, next) => {
  const host = request.headers.host ?? '';
  if (/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host)) return next();
  const name = /^(?:\[(?<six>[^\]]+)\]|(?<name>[^:]*))(?::\d+)?$/.exec(host)?.groups;
  if (isLoopback(name?.six ?? name?.name?.toLowerCase() ?? '')) return next();
  next(new ProblemError('host_denied', 'In Development mode the Host header must be localhost, 127.0.0.1 or [::1]'));
};
