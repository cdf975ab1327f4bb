import type { GovernanceRecord } from '@agentstration/governance';

export interface ExportFormat {
  readonly contentType: string;
  readonly extension: string;
  /** Before the first record. */
  readonly head: string;
  /** What records are written as, which come as a JSON document per line. */
  readonly lines: (lines: Buffer) => string | Buffer;
}

const columns = [
  ...['ownerKind', 'runId', 'sequence', 'workspaceSequence', 'timestamp', 'toolCallId', 'invocationId', 'attempt', 'toolId'],
  ...['toolName', 'providerId', 'externalToolId', 'agentId', 'correlationId', 'arguments', 'argumentsRetained', 'argumentsTruncated'],
  ...['decision', 'outcome', 'evaluations'],
] as (keyof GovernanceRecord)[];

export const exportFormats = {
  /** One JSON document per line. */
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    extension: 'ndjson',
    head: '',
    lines: (lines) => lines,
  },
  /** RFC 4180, with a header line; evaluations are JSON. */
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    extension: 'csv',
    head: `${columns.join(',')}\r\n`,
    lines: (lines) => lines.toString('utf8').trimEnd().split('\n').map(parseRecord).map(toCsvLine).join(''),
  },
} as const satisfies Record<string, ExportFormat>;

const parseRecord = (line: string): GovernanceRecord => JSON.parse(line) as GovernanceRecord;

const toCsvLine = (record: GovernanceRecord): string => `${columns.map((column) => toField(record[column])).join(',')}\r\n`;

/** What a spreadsheet takes for the beginning of a formula (OWASP, CSV injection): such text gets an apostrophe before it. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const needsQuotes = /[",\r\n]/;

export function toField(value: GovernanceRecord[keyof GovernanceRecord]): string {
  if (value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = formula.test(text) ? `'${text}` : text;
  return needsQuotes.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
