import { type OwnerKind, isPathSafeId, patterns } from './identities.ts';
import type { ToolRequest } from './requests.ts';
import { type Fault, compileSchema } from './schema.ts';
import { StrictJsonError, parseStrictJson } from './strict-json.ts';

const neitherDots = { not: { enum: ['.', '..'] } };
const id = {
  description: '1 to 128 printable ASCII characters without space, and neither . nor ..',
  type: 'string',
  pattern: patterns.id,
  ...neitherDots,
};
const agentId = {
  description: '1 to 256 printable ASCII characters without space, and neither . nor ..',
  type: 'string',
  pattern: patterns.agentId,
  ...neitherDots,
};
const generation = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
/** No leap second, and nothing else that the clock of a computer cannot name: a deadline that is no time never passes. */
const time = {
  description: 'an RFC 3339 time such as 2026-12-01T00:00:00Z',
  type: 'string',
  format: 'date-time',
  pattern: '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:[0-5]\\d(?:\\.\\d{1,9})?(?:[Zz]|[+-]\\d{2}:\\d{2})$',
};

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
    deadline: time,
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

/** How much of a refusal is told: a dead letter must stay far smaller than what a broker takes. */
const limits = { faults: 16, reason: 4096 };

/**
 * Reads the payload of a request. A refusal names faults by their JSON pointers and never quotes a value; of the
 * arguments it does not even name the members, for a dead letter never holds arguments.
 */
export function parseToolRequest(payload: Uint8Array): ParsedToolRequest {
  let document: unknown;
  try {
    document = parseStrictJson(payload);
  } catch (error) {
    if (error instanceof StrictJsonError) return { ok: false, reason: tell(error), identities: identitiesDespite(payload) };
    throw error;
  }
  const faults = check(document);
  if (faults.length === 0) return { ok: true, request: document as ToolRequest };
  return { ok: false, reason: describe(faults), identities: readIdentities(document) };
}

function tell(error: StrictJsonError): string {
  const message = error.pointer.startsWith('/arguments/') ? `${error.reason} inside /arguments` : error.message;
  return message.slice(0, limits.reason).toWellFormed();
}

function describe(faults: readonly Fault[]): string {
  const told = faults.slice(0, limits.faults).map(({ pointer, message }) => `${pointer === '' ? 'the request' : pointer} ${message}`);
  const more = faults.length > told.length ? [`and ${faults.length - told.length} more faults`] : [];
  return [...told, ...more].join('; ').slice(0, limits.reason).toWellFormed();
}

/** A caller that sent, say, too large a number in its arguments still learns of the refusal. */
function identitiesDespite(payload: Uint8Array): RequestIdentities {
  try {
    return readIdentities(parseStrictJson(payload, { lenientWithin: 'arguments' }));
  } catch {
    return {};
  }
}

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
