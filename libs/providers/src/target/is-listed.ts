import type { Scope } from '@agentstration/contracts';

/**
 * Whether a `Workspaces` list names the Workspace: `*` (everyone), `<tenant>/*`, `<tenant>/<workspace>`, or
 * `<workspace>` (that id in every tenant). An empty list names nobody.
 */
export const isListed = (workspaces: readonly string[], { tenantId, workspaceId }: Scope): boolean =>
  ['*', `${tenantId}/*`, `${tenantId}/${workspaceId}`, workspaceId].some((entry) => workspaces.includes(entry));
