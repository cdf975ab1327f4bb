import type { GovernanceRecord } from '@agentstration/governance';

type StoredRecord = Omit<GovernanceRecord, 'outcome' | 'arguments'>;

/**
 * A record as it is stored: JSON text, which holds any string because it escapes U+0000 and lone surrogates by itself. The
 * outcome comes later, and arguments are not for every reader: both are appended when it is read, so the text is left open,
 * without its last brace.
 */
export function toDocument({ outcome: _outcome, arguments: _arguments, ...record }: GovernanceRecord): string {
  return JSON.stringify(record satisfies StoredRecord).slice(0, -1);
}

/** The record of a stored text, without what is appended to it. */
export const fromDocument = (document: string): StoredRecord => JSON.parse(`${document}}`) as StoredRecord;
