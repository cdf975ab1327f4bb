import { type Scope, matches } from '@agentstration/contracts';

/**
 * Every Workspace, as the dispatcher of the outbox sees it. No identifier of a Tenant or Workspace may hold a `*`, and no
 * policy but the outbox's own knows it.
 */
export const everyWorkspace: Scope = { tenantId: '*', workspaceId: '*' };

/** The settings that row level security reads, in the order of the scope statement's parameters. */
export function scopeSettings(scope: Scope): [tenantId: string, workspaceId: string] {
  if (scope !== everyWorkspace && !(matches('scopeId', scope.tenantId) && matches('scopeId', scope.workspaceId))) {
    throw new TypeError('Not a Tenant and Workspace: 1 to 64 letters, digits, underscores and hyphens each');
  }
  return [scope.tenantId, scope.workspaceId];
}

export const setScope = `set_config('agentstration.tenant', $1, true), set_config('agentstration.workspace', $2, true)`;
