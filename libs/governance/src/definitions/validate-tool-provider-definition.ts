import { type Fault, type ToolProviderDefinition, compileSchema, patterns, pointerSegment } from '@agentstration/contracts';
import { type Validated, conclude, isRecord, textSchema } from './validated.ts';

const entryName = {
  type: 'string',
  pattern: patterns.code,
  description: 'the name of an entry of the executor’s configuration: 1 to 128 letters, digits, dots, underscores and hyphens',
} as const;

const closed = <Properties extends object>(properties: Properties, optional: readonly string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

const httpUrl = 'an absolute http or https URL of at most 2048 characters';

const stdio = closed({ transport: { const: 'stdio' }, profile: entryName });
const streamableHttp = closed(
  {
    transport: { const: 'streamableHttp' },
    endpoint: {
      type: 'string',
      maxLength: 2048,
      pattern: '^https?://[\\x21-\\x7E]+$',
      description: httpUrl,
    },
    headerReferences: {
      type: 'object',
      maxProperties: 32,
      propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9-]{0,127}$', description: 'the name of an HTTP header' },
      additionalProperties: entryName,
    },
  },
  ['headerReferences'],
);
const provider = (connection: object) =>
  closed({ displayName: textSchema(256), enabled: { type: 'boolean', default: true }, ...connection }, ['enabled']);

const stdioProvider = provider({ providerType: { const: 'mcp' }, mcp: stdio });
const httpProvider = provider({ providerType: { const: 'mcp' }, mcp: streamableHttp });
const aepProvider = provider({ providerType: { const: 'aep' }, aep: closed({ extensionId: entryName }) });
const undecided = provider({ providerType: { enum: ['mcp', 'aep'] }, mcp: {}, aep: {} });
const undecidedMcp = provider({
  providerType: { const: 'mcp' },
  mcp: {
    type: 'object',
    required: ['transport'],
    properties: { transport: { enum: ['stdio', 'streamableHttp'] } },
  },
});

/** JSON Schema (2020-12) of the `definition` of a `ToolProvider`. */
export const toolProviderDefinitionSchema = {
  oneOf: [provider({ providerType: { const: 'mcp' }, mcp: { oneOf: [stdio, streamableHttp] } }), aepProvider],
};

const checks = {
  stdio: compileSchema(stdioProvider),
  streamableHttp: compileSchema(httpProvider),
  aep: compileSchema(aepProvider),
  undecidedMcp: compileSchema(undecidedMcp),
  undecided: compileSchema({ ...undecided, required: ['displayName', 'providerType'] }),
};

/**
 * Judges the `definition` of a `ToolProvider`: every fault at once, or the definition with its defaults. Pure and total.
 * Whether a host may be reached is the executor's to decide, on the address that a connection then uses.
 */
export function validateToolProviderDefinition(value: unknown): Validated<ToolProviderDefinition> {
  const faults = [...checks[formOf(value)](value), ...connectionFaults(value)];
  return conclude(faults, () => ({ enabled: true, ...(value as object) }) as ToolProviderDefinition);
}

/** Which of the closed forms is meant, so that faults name what is wrong in it and not what other forms would want. */
function formOf(value: unknown): keyof typeof checks {
  if (!isRecord(value)) return 'undecided';
  if (value.providerType === 'aep') return 'aep';
  if (value.providerType !== 'mcp') return 'undecided';
  const transport = isRecord(value.mcp) ? value.mcp.transport : undefined;
  return transport === 'stdio' || transport === 'streamableHttp' ? transport : 'undecidedMcp';
}

function connectionFaults(value: unknown): Fault[] {
  if (!isRecord(value) || value.providerType !== 'mcp' || !isRecord(value.mcp)) return [];
  return [...endpointFaults(value.mcp.endpoint), ...headerFaults(value.mcp.headerReferences)];
}

function endpointFaults(endpoint: unknown): Fault[] {
  if (typeof endpoint !== 'string' || !/^https?:\/\//.test(endpoint)) return [];
  const at = (code: string, message: string): Fault[] => [{ pointer: '/mcp/endpoint', code, message }];
  if (!URL.canParse(endpoint)) return at('wrong_format', `must be ${httpUrl}`);
  const url = new URL(endpoint);
  if (url.username !== '' || url.password !== '') return at('credentials', 'must hold no credentials: use headerReferences');
  return url.hash === '' ? [] : at('wrong_format', 'must have no fragment');
}

/** Headers that the transport sets itself, or that change how a message is framed. */
const reservedHeaders = new Set([
  ...['accept', 'connection', 'content-length', 'content-type', 'expect', 'host', 'keep-alive', 'last-event-id'],
  ...['mcp-protocol-version', 'mcp-session-id', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
]);

function headerFaults(references: unknown): Fault[] {
  if (!isRecord(references)) return [];
  const seen = new Set<string>();
  return Object.keys(references).flatMap((header): Fault[] => {
    const pointer = `/mcp/headerReferences${pointerSegment(header)}`;
    const name = header.toLowerCase();
    if (reservedHeaders.has(name)) return [{ pointer, code: 'reserved', message: 'must not be a header that the transport sets' }];
    if (seen.has(name)) return [{ pointer, code: 'duplicate', message: 'must not repeat a header (letter case does not count)' }];
    seen.add(name);
    return [];
  });
}
