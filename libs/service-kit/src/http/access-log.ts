import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { pinoHttp } from 'pino-http';
import { v7 as uuidv7 } from 'uuid';
import { identityOf } from '../identity/access.ts';
import { describeError } from '../logging/describe-error.ts';
import { runInRequest } from '../logging/request-context.ts';

export const requestIdHeader = 'X-Request-Id';

/** Probes come every few seconds and say nothing. */
const probes = new Set(['/livez', '/readyz', '/metrics']);

const pathOf = (request: IncomingMessage): string => ((request as Request).originalUrl ?? request.url ?? '').split('?')[0] ?? '';

/**
 * One line per answer: method, path, status, duration, who. Never a body, a query value or a header. Also gives each
 * request its id (the caller's, when it is well-formed), which all log lines about it carry.
 */
export function createAccessLog(logger: Logger): RequestHandler {
  const log = pinoHttp<IncomingMessage, ServerResponse>({
    logger,
    genReqId: (request, response) => {
      const id = requestId(request);
      response.setHeader(requestIdHeader, id);
      return id;
    },
    wrapSerializers: false,
    serializers: {
      req: (request: IncomingMessage) => ({ method: request.method, path: pathOf(request) }),
      res: (response: ServerResponse) => ({ statusCode: response.statusCode }),
      err: describeError,
    },
    customProps: (request) => {
      const identity = identityOf(request as Request);
      return identity ? { ...identity.scope, principalId: identity.principalId } : {};
    },
    autoLogging: { ignore: (request) => probes.has(pathOf(request)) },
    customLogLevel: (_request, response, error) => (error || response.statusCode >= 500 ? 'error' : 'info'),
    customSuccessMessage: () => 'request answered',
    customErrorMessage: () => 'request failed',
    // The problem filter has logged the error itself.
    customErrorObject: (...[, , , value]) => ({ ...(value as object), err: undefined }),
  });
  return (request, response, next) => {
    log(request, response);
    runInRequest(request.id as string, next);
  };
}

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : uuidv7();
}
