import { StrictJsonError, parseStrictJson } from '@agentstration/contracts';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import express, { type Request, type Response } from 'express';
import { ProblemError } from '../problems/problem-error.ts';
import { MalformedYaml } from './malformed-yaml.ts';
import { type BodyFormat, acceptedTypes, bodyFormat } from './media-type.ts';
import { parseStrictYaml } from './parse-strict-yaml.ts';

/** Largest body, in bytes. */
const maximumBodyBytes = 1024 * 1024;

const readBytes = express.raw({ type: () => true, limit: maximumBodyBytes, inflate: false });
const withBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Reads and parses the body into `request.body`. Stands behind the guard of identities: nobody without the permission makes
 * the service parse anything. A request without a body leaves `request.body` undefined. Not an interceptor, as the framework
 * would have it: a single one puts a pipeline of observables around every request.
 */
export class BodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (context.getType() !== 'http') return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    request.body = withBody.has(request.method) ? await readBody(request, http.getResponse<Response>()) : undefined;
    return true;
  }
}

async function readBody(request: Request, response: Response): Promise<unknown> {
  if (!announcesBody(request)) return undefined;
  const format = bodyFormat(request.headers['content-type'], request.method);
  if (!format) throw unsupported(request.method);
  const bytes = await new Promise<unknown>((resolve, reject) => {
    readBytes(request, response, (error?: Error) => (error ? reject(toProblem(error, request.method)) : resolve(request.body)));
  });
  return Buffer.isBuffer(bytes) && bytes.length > 0 ? parse(bytes, format) : undefined;
}

const announcesBody = ({ headers }: Request): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

function parse(bytes: Buffer, format: BodyFormat): unknown {
  try {
    return format === 'json' ? parseStrictJson(bytes) : parseStrictYaml(bytes);
  } catch (error) {
    if (error instanceof StrictJsonError || error instanceof MalformedYaml) {
      throw new ProblemError('malformed_request', `The body cannot be read: ${error.message}`);
    }
    throw error;
  }
}

/** What the reader of bytes says in the words of the product. */
function toProblem(error: Error & { status?: number }, method: string): Error {
  switch (error.status) {
    case 413:
      return new ProblemError('body_too_large', `A body has at most ${maximumBodyBytes} bytes`);
    case 415:
      return unsupported(method);
    case 400:
      return new ProblemError('malformed_request', 'The body ended before its announced length');
    default:
      return error;
  }
}

/** `Accept` in an answer tells what would be taken (RFC 9110, section 15.5.16). */
function unsupported(method: string): ProblemError {
  const types = acceptedTypes(method).join(', ');
  return new ProblemError('unsupported_media_type', `A body is sent as ${types}, in UTF-8, without Content-Encoding`, {
    headers: { Accept: types },
  });
}
