import type { GovernanceRecord } from '@agentstration/governance';

/**
 * A record as it is stored: JSON text, which holds any string because it escapes U+0000 and lone surrogates by itself. The
 * outcome comes later, and arguments are not for every reader.
 */
export function toDocument({ outcome: _outcome, arguments: _arguments, ...record }: GovernanceRecord): string {
  return JSON.stringify(record);
}
