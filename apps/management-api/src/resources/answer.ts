import type { Request, Response } from 'express';
import { stringify } from 'yaml';
import { isKnownToCaller, parseEntityTags, yamlEntityTag } from './entity-tag.ts';

export interface Answer {
  readonly status?: number;
  readonly body: unknown;
  /** Strong tag of the JSON representation. */
  readonly entityTag?: string;
  readonly location?: string;
}

/** Sends an answer as JSON or YAML, and 304 to whoever has it already. */
export function send(request: Request, response: Response, answer: Answer): void {
  const yaml = wantsYaml(request);
  const entityTag = answer.entityTag !== undefined && yaml ? yamlEntityTag(answer.entityTag) : answer.entityTag;
  const known =
    isRead(request) &&
    entityTag !== undefined &&
    isKnownToCaller(parseEntityTags(request.headers['if-none-match'], 'If-None-Match'), entityTag);
  response.setHeader('Vary', 'Accept, Authorization, Agentstration-Workspace');
  response.setHeader('Cache-Control', 'private, no-cache');
  if (entityTag !== undefined) response.setHeader('ETag', entityTag);
  if (known) return void response.status(304).end();
  if (answer.location !== undefined) response.setHeader('Location', answer.location);
  response.status(answer.status ?? 200);
  response.setHeader('Content-Type', yaml ? 'application/yaml; charset=utf-8' : 'application/json; charset=utf-8');
  response.end(yaml ? stringify(answer.body, { aliasDuplicateObjects: false, lineWidth: 0 }) : JSON.stringify(answer.body));
}

const isRead = (request: Request): boolean => request.method === 'GET' || request.method === 'HEAD';

/** JSON unless the caller prefers YAML. Most name no preference, and are spared the weighing. */
function wantsYaml(request: Request): boolean {
  const { accept = '*/*' } = request.headers;
  if (accept === '*/*' || accept === 'application/json') return false;
  return request.accepts(['application/json', 'application/yaml']) === 'application/yaml';
}
