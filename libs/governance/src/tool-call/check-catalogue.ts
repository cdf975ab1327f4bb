import type { ErrorCode } from '@agentstration/contracts';
import type { CatalogueEntry } from '../ports/attempt-store.ts';

export type CatalogueRefusal = Extract<ErrorCode, 'tool_not_found' | 'tool_disabled' | 'tool_unavailable' | 'tool_provider_disabled'>;

/** Why a Tool cannot be called; undefined when it can. An unknown Tool is refused, never guessed. */
export function checkCatalogue(entry: CatalogueEntry | undefined): CatalogueRefusal | undefined {
  if (!entry) return 'tool_not_found';
  if (entry.provider.definition.enabled !== true) return 'tool_provider_disabled';
  if (entry.definition.enabled !== true) return 'tool_disabled';
  if (entry.available !== true) return 'tool_unavailable';
  return undefined;
}
