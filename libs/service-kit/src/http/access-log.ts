import { randomUUID } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { identityOf } from '../identity/access.ts';
import { runInRequest } from '../logging/request-context.ts';

export const requestIdHeader = 'X-Request-Id';

/** Probes come every few seconds and say nothing. */
const probes = new Set(['/livez', '/readyz', '/metrics']);

const pathOf = ({ originalUrl }: Request): string => originalUrl.split('?', 1)[0] ?? '';

/**
 * One line per answer: method, path, status, duration, who. Never a body, a query value or a header. Also gives each
 * request its id (the caller's, when it is well-formed), which all log lines about it carry.
 *
 * By hand: `pino-http` makes a child logger for each request, which costs more than everything else that is done for it.
 */
export function createAccessLog(logger: Logger): RequestHandler {
  return (request, response, next) => {
    const requestId = requestIdOf(request);
    const startedAt = performance.now();
    response.setHeader(requestIdHeader, requestId);
    response.once('close', () => {
      if (!probes.has(pathOf(request))) record(logger, request, { response, requestId, responseTime: performance.now() - startedAt });
    });
    runInRequest(requestId, next);
  };
}

interface Answered {
  readonly response: Response;
  readonly requestId: string;
  /** Milliseconds. */
  readonly responseTime: number;
}

/** The problem filter has logged the error itself. An answer that was cut, by either side, has failed. */
function record(logger: Logger, request: Request, { response, requestId, responseTime }: Answered): void {
  const { statusCode, writableFinished } = response;
  const identity = identityOf(request);
  const line = {
    requestId,
    req: { method: request.method, path: pathOf(request) },
    res: { statusCode },
    responseTime: Math.round(responseTime * 100) / 100,
    ...(identity ? { ...identity.scope, principalId: identity.principalId } : {}),
  };
  if (!writableFinished || statusCode >= 500) logger.error(line, writableFinished ? 'request answered' : 'request failed');
  else logger.info(line, 'request answered');
}

function requestIdOf({ headers }: Request): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID();
}
