import type { GovernanceRecord } from '@agentstration/governance';

/** A stored record: its document, and what is added to it for a reader. */
export interface StoredDocument {
  readonly document: string;
  readonly outcome: string | null;
  /** The governance fact, where the reader may see its arguments and they were retained. */
  readonly payload?: Buffer | null;
}

/** JSON text holds any string: it escapes U+0000 and lone surrogates by itself. */
export function toDocument({ outcome: _outcome, arguments: _arguments, ...record }: GovernanceRecord): string {
  return JSON.stringify(record);
}

/** The record as JSON text: what is stored is not parsed to be written again. */
export const toRecordJson = ({ document, outcome, payload }: StoredDocument): string =>
  `${document.slice(0, -1)},"arguments":${payload ? JSON.stringify(argumentsIn(payload)) : 'null'},"outcome":${outcome === null ? 'null' : `"${outcome}"`}}`;

export const toGovernanceRecord = (stored: StoredDocument): GovernanceRecord => JSON.parse(toRecordJson(stored)) as GovernanceRecord;

/** The text of retained arguments is stored once: in the fact. */
function argumentsIn(payload: Buffer): string | null {
  const { data } = JSON.parse(payload.toString('utf8')) as { data: { arguments?: { json: string } } };
  return data.arguments?.json ?? null;
}
