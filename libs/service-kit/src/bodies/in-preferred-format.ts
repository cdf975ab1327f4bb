import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { stringify } from 'yaml';

/**
 * What a handler answered, in YAML where `Accept` prefers it to JSON. Documents only: a stream, a text or an answer that
 * the handler wrote itself stays as it is.
 */
export function inPreferredFormat(answer: unknown, response: Response): unknown {
  response.vary('Accept');
  const isDocument = typeof answer === 'object' && answer !== null && !(answer instanceof StreamableFile) && !Buffer.isBuffer(answer);
  if (!isDocument || response.hasHeader('Content-Type')) return answer;
  if (response.req.accepts(['application/json', 'application/yaml']) !== 'application/yaml') return answer;
  response.type('application/yaml; charset=utf-8');
  return stringify(JSON.parse(JSON.stringify(answer)), { aliasDuplicateObjects: false });
}
