import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, StreamableFile } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type Observable, map } from 'rxjs';
import { stringify } from 'yaml';

/** Answers in YAML where `Accept` prefers it to JSON. */
@Injectable()
export class YamlInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const http = context.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    response.vary('Accept');
    if (request.accepts(['application/json', 'application/yaml']) !== 'application/yaml') return next.handle();
    return next.handle().pipe(map((answer: unknown) => toYaml(answer, response)));
  }
}

/** Documents only: a stream, a text or an answer that the handler wrote itself stays as it is. */
function toYaml(answer: unknown, response: Response): unknown {
  const isDocument = typeof answer === 'object' && answer !== null && !(answer instanceof StreamableFile) && !Buffer.isBuffer(answer);
  if (!isDocument || response.headersSent || response.hasHeader('Content-Type')) return answer;
  response.type('application/yaml; charset=utf-8');
  return stringify(JSON.parse(JSON.stringify(answer)), { aliasDuplicateObjects: false });
}
