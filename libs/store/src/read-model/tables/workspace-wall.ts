import { databaseRole } from '../../connection/roles.ts';
import { ownWorkspace } from '../../migrations/workspace-policy.ts';
import { type TableNames, generationTables } from './generation-tables.ts';

/**
 * The second wall around a generation: whoever reads it sees the rows of the Workspace that the transaction names, and none
 * without one, whatever a query forgets. Its owner, the projector, is not held: it writes the rows of all.
 */
export const wallAround = (t: TableNames): string[] => [
  ...generationTables.flatMap((table) => [
    `ALTER TABLE ${t[table]} ENABLE ROW LEVEL SECURITY`,
    `CREATE POLICY own_workspace ON ${t[table]} FOR SELECT USING (${table === 'workspace' ? ownWorkspace : ofOwnWorkspace(t)})`,
  ]),
  `GRANT SELECT ON ${generationTables.map((table) => t[table]).join(', ')} TO ${databaseRole('reader')}`,
  `GRANT SELECT ON ${forTheApi.map((table) => t[table]).join(', ')} TO ${databaseRole('api')}`,
];

/** Where the calls of a Run stand, and what a retry takes up again. */
const forTheApi = ['workspace', 'run', 'attempt', 'record'] as const;

/** The key is found once per query, not once per row. */
const ofOwnWorkspace = (t: TableNames): string => `workspace_key = (SELECT w.workspace_key FROM ${t.workspace} AS w WHERE ${ownWorkspace})`;
