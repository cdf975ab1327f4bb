import { PostgresResourceStore, applyDiscovery, closeDataSource, createDataSource } from '@agentstration/store';
import pg from 'pg';

export const scope = { tenantId: 'bench', workspaceId: 'busy' };
export const hooks = 10_000;
/** How many of them govern the call that is resolved. */
export const matching = 5;
export const toolId = 'crm.lookup';

export const nameOf = (index: number): string => `hook-${String(index).padStart(5, '0')}`;

/** A hook as a platform team writes it: a few tools of its own. */
export const definitionOf = (index: number, order = index % 100) => ({
  displayName: `Hook ${index}`,
  enabled: true,
  order,
  handler: 'deny',
  selector: { tools: [index < matching ? toolId : `team-${index % 500}.tool-${index}`], providers: [], agents: [] },
  configuration: { code: 'denied_by_governance', message: 'This tool is disabled by workspace governance.' },
});

/** Fills the workspace through the table and its triggers, and a Tool that calls can be resolved for. */
export async function seed(databaseUrl: string): Promise<void> {
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  const indexes = Array.from({ length: hooks }, (_, index) => index);
  await owner.query(
    `INSERT INTO agentstration.resources (tenant_id, workspace_id, kind, namespace, name, labels, annotations, definition, status, changed_by)
     SELECT $1, $2, 'ToolExecutionHook', 'default', name, '{"area":"crm"}', '{}', definition::json, '{"conditions":[]}', 'bench'
     FROM unnest($3::text[], $4::text[]) hook (name, definition)`,
    [scope.tenantId, scope.workspaceId, indexes.map(nameOf), indexes.map((index) => JSON.stringify(definitionOf(index)))],
  );
  await owner.query('VACUUM ANALYZE');
  await owner.end();
  const database = createDataSource({ url: databaseUrl, role: 'api' });
  const store = new PostgresResourceStore(database);
  const definition = { displayName: 'CRM', enabled: true, providerType: 'mcp', mcp: { transport: 'stdio', profile: 'crm' } };
  const key = { ...scope, kind: 'ToolProvider', namespace: 'default', name: 'crm' } as const;
  const { resource } = await store.create(key, { labels: {}, annotations: {}, definition }, 'bench');
  await applyDiscovery(database, { scope, provider: resource, tools: [{ externalName: 'lookup' }], by: 'bench' });
  await closeDataSource(database);
}
