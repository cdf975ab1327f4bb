import { type ProblemDocument, problemContentType, problemType, problems } from '@agentstration/contracts';
import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { Application, Request, Response } from 'express';
import type { Logger } from 'pino';
import { allowedMethods } from './allowed-methods.ts';
import { ProblemError } from './problem-error.ts';
import type { ProblemMappings } from './problem-mappings.ts';
import { toProblem } from './to-problem.ts';

/** Answers everything that was thrown, by whichever part, with an RFC 9457 document. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly mappings: ProblemMappings,
    private readonly logger: Logger,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const problem = unmatchedRoute(error, request) ?? this.mappings.toProblem(error) ?? toProblem(error);
    if (problem.status >= 500) this.logger.error({ err: error, problem: problem.code }, 'request failed');
    // An answer that has begun cannot become another one: cut it, so that nobody takes it for complete.
    if (response.headersSent) return void response.destroy();
    write(problem, request, response);
  }
}

/** The framework's 404 for a path that no route took: either no route is there, or none with this method. */
function unmatchedRoute(error: unknown, request: Request): ProblemError | undefined {
  if (!(error instanceof NotFoundException) || request.route !== undefined) return undefined;
  const methods = allowedMethods(request.app as Application, request);
  if (methods.length === 0) return new ProblemError('route_not_found', `There is no route ${request.path}`);
  const allow = methods.join(', ');
  return new ProblemError('method_not_allowed', `This route takes ${allow}`, { headers: { Allow: allow } });
}

/** Headers of the representation that is not sent; not `Content-Security-Policy`, which is about any. */
const ofTheAnswerMeant = /^(?:etag|last-modified|content-(?:disposition|encoding|language|length|location|range|type))$/;

function write(problem: ProblemError, request: Request, response: Response): void {
  const { code, detail, extras } = problem;
  const document: ProblemDocument = {
    type: problemType(code),
    title: problems[code].title,
    status: problem.status,
    detail,
    instance: request.originalUrl.split('?')[0] ?? '',
    code,
    ...(extras.reason === undefined ? {} : { reason: extras.reason }),
    ...(extras.errors ? { errors: extras.errors } : {}),
  };
  for (const header of response.getHeaderNames()) if (ofTheAnswerMeant.test(header)) response.removeHeader(header);
  response.set(extras.headers ?? {});
  response.status(problem.status).type(problemContentType).send(JSON.stringify(document));
}
