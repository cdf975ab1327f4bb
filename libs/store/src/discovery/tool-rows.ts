import type { DiscoveredTool } from '@agentstration/contracts';
import { defaultToolDefinition } from '@agentstration/governance';
import type { EntityManager } from 'typeorm';
import { encodeText } from '../read-model/tables/text-codec.ts';
import type { Discovery } from './apply-discovery.ts';

/** A Tool of the provider as its row says. */
export interface CatalogueTool {
  readonly name: string;
  /** As stored: decode before use. */
  readonly external_name: string;
  readonly available: boolean;
  readonly status: Readonly<Record<string, unknown>>;
}

export interface NamedTool {
  readonly name: string;
  readonly tool: DiscoveredTool;
}

const provider = ({ scope, provider: { namespace, name } }: Discovery): string[] => [scope.tenantId, scope.workspaceId, namespace, name];
/** The Tools `t` of the provider of `$1` to `$4`: every name of theirs begins with its name and a dot. */
const ofProvider = `t.tenant_id = $1 AND t.workspace_id = $2 AND t.kind = 'Tool' AND t.namespace = $3
  AND t.name > $4 || '.' AND t.name < $4 || '/' AND t.provider_name = $4`;

/** One discovery of a provider at a time, and none of a deleted one. */
export async function lockProvider(manager: EntityManager, discovery: Discovery): Promise<boolean> {
  const rows = await manager.query<unknown[]>(
    `SELECT 1 FROM agentstration.resources r WHERE r.tenant_id = $1 AND r.workspace_id = $2 AND r.kind = 'ToolProvider'
      AND r.namespace = $3 AND r.name = $4 AND r.uid = $5 AND r.deleted_at IS NULL FOR UPDATE`,
    [...provider(discovery), discovery.provider.uid],
  );
  return rows.length > 0;
}

export const readTools = (manager: EntityManager, discovery: Discovery): Promise<CatalogueTool[]> =>
  manager.query<CatalogueTool[]>(
    `SELECT t.name, t.external_name, t.available, t.status FROM agentstration.resources t WHERE ${ofProvider}`,
    provider(discovery),
  );

export async function addTools(manager: EntityManager, discovery: Discovery, tools: readonly NamedTool[]): Promise<void> {
  if (tools.length === 0) return;
  await manager.query(
    `INSERT INTO agentstration.resources (tenant_id, workspace_id, kind, namespace, name, labels, annotations, definition,
       status, provider_name, external_name, available, changed_by)
     SELECT $1, $2, 'Tool', $3, tool.name, '{}', '{}', $5::json, tool.status::json, $4, tool.external_name, true, $6
     FROM unnest($7::text[], $8::text[], $9::text[]) tool (name, external_name, status)`,
    [
      ...provider(discovery),
      JSON.stringify(defaultToolDefinition),
      discovery.by,
      tools.map(({ name }) => name),
      tools.map(({ tool }) => encodeText(tool.externalName)),
      tools.map(({ tool }) => toStatus(tool, {})),
    ],
  );
}

/** What the provider says of a Tool is new; what the administrator decided stays. */
export async function changeTools(
  manager: EntityManager,
  discovery: Discovery,
  tools: readonly (NamedTool & Pick<CatalogueTool, 'status'>)[],
): Promise<void> {
  if (tools.length === 0) return;
  await manager.query(
    `UPDATE agentstration.resources t SET available = true, status = tool.status::json
     FROM unnest($5::text[], $6::text[]) tool (name, status) WHERE ${ofProvider} AND t.name = tool.name`,
    [...provider(discovery), tools.map(({ name }) => name), tools.map(({ tool, status }) => toStatus(tool, status))],
  );
}

export async function withdrawTools(manager: EntityManager, discovery: Discovery, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await manager.query(`UPDATE agentstration.resources t SET available = false WHERE ${ofProvider} AND t.name = ANY ($5::text[])`, [
    ...provider(discovery),
    names,
  ]);
}

/** Kept as JSON text: it may hold what no PostgreSQL text can. */
function toStatus({ title, description, inputSchema, outputSchema }: DiscoveredTool, before: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ conditions: [], ...before, title, description, inputSchema, outputSchema });
}
