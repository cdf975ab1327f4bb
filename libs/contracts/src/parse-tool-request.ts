import { type OwnerKind, isPathSafeId, patterns } from './identities.ts';
import type { ToolRequest } from './requests.ts';
import { type Fault, compileSchema } from './schema.ts';
import { StrictJsonError, parseStrictJson } from './strict-json.ts';

const id = { type: 'string', pattern: patterns.id, not: { enum: ['.', '..'] } };
const agentId = { type: 'string', pattern: patterns.agentId };
const generation = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

/** JSON Schema (2020-12) of a tool request. */
export const toolRequestSchema = {
  $id: 'https://agentstration.io/schemas/tool-request.v1.json',
  type: 'object',
  additionalProperties: false,
  required: ['toolCallId', 'run', 'toolId', 'agentId'],
  properties: {
    requestId: id,
    toolCallId: id,
    run: {
      type: 'object',
      additionalProperties: false,
      required: ['ownerKind', 'runId'],
      properties: { ownerKind: { enum: ['RuntimeRun', 'FlowRun'] }, runId: id },
    },
    toolId: { type: 'string', minLength: 1, maxLength: 382 },
    agentId,
    arguments: { type: 'object' },
    agentVersion: generation,
    agentGeneration: generation,
    agentRevisionId: id,
    principalId: id,
    correlationId: id,
    timeoutMs: { type: 'integer', minimum: 100, maximum: 3_600_000 },
    deadline: { type: 'string', format: 'date-time' },
  },
} as const;

const check = compileSchema(toolRequestSchema);

/** Identities that could be read from a request that is otherwise wrong. */
export interface RequestIdentities {
  readonly ownerKind?: OwnerKind;
  readonly runId?: string;
  readonly toolCallId?: string;
  readonly requestId?: string;
}

export type ParsedToolRequest =
  | { readonly ok: true; readonly request: ToolRequest }
  | { readonly ok: false; readonly reason: string; readonly identities: RequestIdentities };

/** Reads the payload of a request. A refusal names every fault by its JSON pointer and never quotes a value. */
export function parseToolRequest(payload: Uint8Array): ParsedToolRequest {
  let document: unknown;
  try {
    document = parseStrictJson(payload);
  } catch (error) {
    if (error instanceof StrictJsonError) return { ok: false, reason: error.message, identities: {} };
    throw error;
  }
  const faults = check(document);
  if (faults.length === 0) return { ok: true, request: document as ToolRequest };
  return { ok: false, reason: faults.map(describe).join('; '), identities: readIdentities(document) };
}

const describe = (fault: Fault): string => `${fault.pointer === '' ? 'the request' : fault.pointer} ${fault.message}`;

function readIdentities(document: unknown): RequestIdentities {
  const request = isRecord(document) ? document : {};
  const run = isRecord(request.run) ? request.run : {};
  const ownerKind = run.ownerKind === 'RuntimeRun' || run.ownerKind === 'FlowRun' ? run.ownerKind : undefined;
  const read = (value: unknown): string | undefined => (typeof value === 'string' && isPathSafeId(value) ? value : undefined);
  return withoutUndefined({ ownerKind, runId: read(run.runId), toolCallId: read(request.toolCallId), requestId: read(request.requestId) });
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
