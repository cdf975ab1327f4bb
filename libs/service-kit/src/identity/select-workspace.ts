import { ProblemError } from '../problems/problem-error.ts';
import type { Identity } from './identity.ts';
import type { Principal } from './principal.ts';
import { toPermissions } from './roles.ts';

export const workspaceHeader = 'Agentstration-Workspace';

/**
 * The identity in one workspace: the one that the header names, or the only one of the token.
 *
 * @throws ProblemError 400 `workspace_required` for several without the header, 403 `workspace_denied` for one that the
 *   token does not list.
 */
export function selectWorkspace(principal: Principal, asked: string | undefined): Identity {
  const { rolesOfWorkspace, tenantId, principalId } = principal;
  if (asked === undefined && rolesOfWorkspace.size > 1) {
    throw new ProblemError(
      'workspace_required',
      `The token lists ${rolesOfWorkspace.size} workspaces: name one in the ${workspaceHeader} header`,
    );
  }
  const workspaceId = asked ?? [...rolesOfWorkspace.keys()][0] ?? '';
  const roles = rolesOfWorkspace.get(workspaceId);
  if (!roles) throw new ProblemError('workspace_denied', `The token does not list the workspace of the ${workspaceHeader} header`);
  return { scope: { tenantId, workspaceId }, principalId, permissions: toPermissions(roles) };
}
