import { type Fact, type FactName, type RunFactName, type ToolFactName, cloudEventType, errorTypes } from './facts.ts';
import { patterns } from './identities.ts';
import { type Fault, compileSchema } from './schema.ts';

const id = { type: 'string', pattern: patterns.id };
const nullableText = { type: ['string', 'null'] };
const count = { type: 'integer', minimum: 0 };
const duration = { type: 'number', minimum: 0 };

const toolData = {
  ownerKind: { enum: ['RuntimeRun', 'FlowRun'] },
  runId: id,
  toolCallId: id,
  invocationId: id,
  attempt: { type: 'integer', minimum: 1 },
  requestId: id,
  toolId: { type: 'string', minLength: 1 },
  toolName: nullableText,
  providerId: nullableText,
  externalToolId: nullableText,
  agentId: { type: 'string', pattern: patterns.agentId },
  agentVersion: count,
  agentGeneration: count,
  agentRevisionId: id,
  principalId: id,
  correlationId: id,
};
const toolRequired = [
  ...['ownerKind', 'runId', 'toolCallId', 'invocationId', 'attempt', 'requestId'],
  ...['toolId', 'toolName', 'providerId', 'externalToolId', 'agentId'],
];

const evaluation = {
  type: 'object',
  required: ['hook', 'decision'],
  properties: {
    hook: {
      type: 'object',
      required: ['id', 'order', 'source'],
      properties: {
        id: { type: 'string', minLength: 1 },
        order: { type: 'integer' },
        source: { enum: ['Local', 'Managed'] },
        resourceId: { type: 'string' },
        resourceGeneration: { type: 'integer', minimum: 1 },
      },
    },
    decision: { enum: ['Allowed', 'Denied', 'Failed'] },
    code: { type: 'string', pattern: patterns.code },
  },
};

const retained = {
  type: 'object',
  required: ['json', 'truncated', 'length'],
  properties: { json: { type: 'string' }, truncated: { type: 'boolean' }, length: count },
};

/** Readers are tolerant: a field added to a later fact of the same version must not poison an older reader. */
const data = (own: Record<string, object>): object => ({
  type: 'object',
  required: [...toolRequired, ...Object.keys(own).filter((field) => field !== 'arguments')],
  properties: { ...toolData, ...own },
});
const runData = {
  type: 'object',
  required: ['ownerKind', 'runId'],
  properties: {
    ownerKind: toolData.ownerKind,
    runId: id,
    agentId: toolData.agentId,
    principalId: id,
    retryOf: id,
  },
};

const dataSchemas: Record<ToolFactName, object> & Record<RunFactName, object> = {
  ToolExecutionStarted: data({}),
  ToolExecutionGovernanceEvaluated: data({
    evaluations: { type: 'array', items: evaluation },
    delivery: { enum: ['AtLeastOnce', 'AtMostOnce'] },
    arguments: retained,
  }),
  ToolExecutionCompleted: data({ durationMs: duration, toolReportedError: { type: 'boolean' } }),
  ToolExecutionFailed: data({
    durationMs: duration,
    failureKind: { enum: ['Denied', 'Hook', 'Provider', 'Cancelled', 'Rejected'] },
    outcome: { enum: ['Failed', 'Denied', 'Cancelled', 'Unknown'] },
    errorCode: { type: 'string', pattern: patterns.code },
    errorType: { enum: [...errorTypes] },
    final: { type: 'boolean' },
  }),
  RunCreated: runData,
  RunCancelled: runData,
};

const envelope = (name: FactName): object => ({
  type: 'object',
  required: ['specversion', 'id', 'source', 'type', 'subject', 'time', 'data'],
  properties: {
    specversion: { const: '1.0' },
    id: { type: 'string', minLength: 1 },
    source: { type: 'string', minLength: 1 },
    type: { const: cloudEventType(name) },
    subject: id,
    time: { type: 'string', format: 'date-time' },
    datacontenttype: { const: 'application/json' },
    traceparent: { type: 'string' },
    queueposition: { type: 'string' },
    data: dataSchemas[name],
  },
});

/** JSON Schemas (2020-12) of every fact, by CloudEvents `type`. Never edit a published one: add a version. */
export const factSchemas = Object.fromEntries(
  (Object.keys(dataSchemas) as FactName[]).map((name) => [cloudEventType(name), envelope(name)]),
) as Readonly<Record<string, object>>;

const checks = new Map(Object.entries(factSchemas).map(([type, schema]) => [type, compileSchema(schema)]));

export type ParsedFact = { readonly ok: true; readonly fact: Fact } | { readonly ok: false; readonly reason: string };

/** Reads a Journal message. The refusal of an unknown type or version names it; no value is quoted. */
export function parseFact(payload: Uint8Array): ParsedFact {
  const document = readJson(payload);
  const type = typeof document === 'object' && document !== null ? (document as { type?: unknown }).type : undefined;
  if (typeof type !== 'string') return { ok: false, reason: 'not a CloudEvents event' };
  const check = checks.get(type);
  if (!check) return { ok: false, reason: `unknown fact type ${type.slice(0, 128)}` };
  const faults = check(document);
  return faults.length === 0 ? { ok: true, fact: document as Fact } : { ok: false, reason: describe(faults) };
}

function readJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)) as unknown;
  } catch {
    return undefined;
  }
}

const describe = (faults: readonly Fault[]): string => faults.map((fault) => `${fault.pointer || '/'} ${fault.message}`).join('; ');
