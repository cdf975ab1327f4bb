import { type RunKey, type Scope, isPathSafeId, parseOwnerKind } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';

export interface RunAddress {
  readonly ownerKind: string;
  readonly runId: string;
}

/** The Run that a URL names. What cannot be the id of a Run is one that does not exist. */
export function runKeyOf(scope: Scope, { ownerKind: kind, runId }: RunAddress): RunKey {
  const ownerKind = parseOwnerKind(kind);
  if (!ownerKind) throw new ProblemError('invalid_owner_kind', 'The owner kind must be runtime, flow, RuntimeRun or FlowRun');
  if (!isPathSafeId(runId)) throw runNotFound();
  return { tenantId: scope.tenantId, workspaceId: scope.workspaceId, ownerKind, runId };
}

/** The same words for a Run of another Workspace and for one that does not exist. */
export const runNotFound = (headers: Readonly<Record<string, string>> = {}): ProblemError =>
  new ProblemError('run_not_found', 'No such run in this workspace', { headers });
