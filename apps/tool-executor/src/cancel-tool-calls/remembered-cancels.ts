import type { CancelRequest, Scope, ToolCallKey } from '@agentstration/contracts';

/** Longer than any wait between two attempts. */
const rememberedMs = 2 * 60 * 60_000;
/** Of each Workspace; the oldest are forgotten first, so that no Workspace can make another's be forgotten. */
const maximumPerWorkspace = 1_000;

/** When calls and Runs were last cancelled: in memory, for attempts that are yet to come. */
export class RememberedCancels {
  readonly #workspaces = new Map<string, Map<string, number>>();

  /** @param now milliseconds since the epoch */
  constructor(private readonly now: () => number) {}

  remember(scope: Scope, { ownerKind, runId, toolCallId }: CancelRequest): void {
    const workspace = this.#workspaces.get(keyOf(scope)) ?? new Map<string, number>();
    this.#workspaces.set(keyOf(scope), workspace);
    const key = JSON.stringify([ownerKind, runId, toolCallId]);
    workspace.delete(key);
    workspace.set(key, this.now());
    this.#forget(scope, workspace);
  }

  /** When the call or its Run was last cancelled; -1 when it was not, or so long ago that it is forgotten. */
  lastOf({ ownerKind, runId, toolCallId, ...scope }: ToolCallKey): number {
    const workspace = this.#workspaces.get(keyOf(scope));
    if (!workspace) return -1;
    this.#forget(scope, workspace);
    const [ofCall = -1, ofRun = -1] = [toolCallId, undefined].map((id) => workspace.get(JSON.stringify([ownerKind, runId, id])));
    return Math.max(ofCall, ofRun);
  }

  #forget(scope: Scope, workspace: Map<string, number>): void {
    for (const [key, at] of workspace) {
      if (workspace.size <= maximumPerWorkspace && at > this.now() - rememberedMs) break;
      workspace.delete(key);
    }
    if (workspace.size === 0) this.#workspaces.delete(keyOf(scope));
  }
}

const keyOf = ({ tenantId, workspaceId }: Scope): string => `${tenantId}.${workspaceId}`;
