/** Whether a row is of the Workspace of the transaction. Without one the settings are null or empty, and no row is. */
export const ownWorkspace = `tenant_id = nullif(current_setting('agentstration.tenant', true), '')
  AND workspace_id = nullif(current_setting('agentstration.workspace', true), '')`;

/**
 * The second wall around a table: for every role, its owner included, rows of other Workspaces can be neither seen nor
 * written. A role that works over all Workspaces gets a policy of its own beside it.
 */
export const workspaceScoped = (table: string): string[] => [
  `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
  `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
  `CREATE POLICY own_workspace ON ${table} USING (${ownWorkspace}) WITH CHECK (${ownWorkspace})`,
];
