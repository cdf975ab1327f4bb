import { type RunKey, type Scope, isPathSafeId, parseOwnerKind } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';

/** The same words for a Run of another Workspace and for one that does not exist. */
export const runNotFound = (): ProblemError => new ProblemError('run_not_found', 'No such run in this workspace');

/** The Run that a URL names. */
export function runKeyOf(scope: Scope, { ownerKind: kind, runId }: { ownerKind: string; runId: string }): RunKey {
  const ownerKind = parseOwnerKind(kind);
  if (!ownerKind) throw new ProblemError('invalid_owner_kind', 'The owner kind must be runtime, flow, RuntimeRun or FlowRun');
  if (!isPathSafeId(runId)) throw runNotFound();
  return { tenantId: scope.tenantId, workspaceId: scope.workspaceId, ownerKind, runId };
}
