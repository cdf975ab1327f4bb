import { parseCanonicalId, toCanonicalId } from '@agentstration/contracts';
import {
  type AttemptContext,
  type AttemptQuery,
  type CatalogueEntry,
  type HookRow,
  validateToolDefinition,
  validateToolProviderDefinition,
} from '@agentstration/governance';
import { decodeText } from '../read-model/tables/text-codec.ts';
import { InvalidRow } from './invalid-row.ts';
import { readOnce } from './read-once.ts';
import type { FoundHook, ResolutionRow } from './resolution-statement.ts';

const noHooks: readonly HookRow[] = [];
const readTool = readOnce((text) => validateToolDefinition(JSON.parse(text)));
const readProvider = readOnce((text) => validateToolProviderDefinition(JSON.parse(text)));
const readHooks = readOnce<readonly HookRow[]>((text) => (JSON.parse(text) as FoundHook[]).map(toHookRow));

/** What the row says of the attempt. @throws InvalidRow for a Tool or provider that was not written by the API */
export const toAttemptContext = (query: AttemptQuery, row: ResolutionRow): AttemptContext => ({
  entry: row.known ? toEntry(query, row) : undefined,
  hooks: row.hooks === null ? noHooks : readHooks(row.hooks),
  run: { registered: row.registered, cancelled: row.cancelled, persistToolArguments: row.persist_tool_arguments },
});

function toEntry({ tenantId, workspaceId, toolId }: AttemptQuery, row: ResolutionRow): CatalogueEntry {
  const providerId = toCanonicalId(parseCanonicalId(toolId).namespace, row.provider_name);
  const tool = readTool(row.tool_definition);
  const provider = readProvider(row.provider_definition);
  if (!tool.ok) throw new InvalidRow(`the Tool ${toolId}`);
  if (!provider.ok) throw new InvalidRow(`the ToolProvider ${providerId}`);
  const externalToolId = decodeText(row.external_name);
  return {
    toolId,
    toolName: externalToolId,
    externalToolId,
    available: row.available && !row.provider_deleted,
    definition: tool.definition,
    provider: { scope: { tenantId, workspaceId }, providerId, generation: row.provider_generation, definition: provider.definition },
  };
}

/** A place whose hook is missing becomes a row of nobody: the resolver refuses it, and the attempt fails closed. */
const toHookRow = ([tenantId, workspaceId, namespace, name, generation, definition]: FoundHook): HookRow => ({
  tenantId: tenantId ?? '',
  workspaceId: workspaceId ?? '',
  namespace: namespace ?? '',
  name: name ?? '',
  generation: generation ?? 0,
  definition,
});
