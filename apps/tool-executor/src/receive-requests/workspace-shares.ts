import type { Scope } from '@agentstration/contracts';
import { WaitingCrowd } from './waiting-crowd.ts';

/** A place of a Workspace's share, or how long to wait before asking again, in milliseconds. */
export type Share = { readonly waitMs?: undefined; leave(): void } | { readonly waitMs: number };

/** How many requests of each Workspace run at a time: none may take more than its share. */
export class WorkspaceShares {
  readonly #workspaces = new Map<string, { running: number; readonly crowd: WaitingCrowd }>();

  /** @param now monotonic milliseconds */
  constructor(
    private readonly maximumPerWorkspace: number,
    private readonly now: () => number,
  ) {}

  /** Takes a place of the Workspace's share; give it back with `leave`. When the share is used up, the Request must wait. */
  take({ tenantId, workspaceId }: Scope): Share {
    const key = `${tenantId}.${workspaceId}`;
    const workspace = this.#workspaces.get(key) ?? { running: 0, crowd: new WaitingCrowd(this.now()) };
    if (workspace.running >= this.maximumPerWorkspace) return { waitMs: workspace.crowd.join(this.now()) };
    workspace.running += 1;
    this.#workspaces.set(key, workspace);
    return {
      leave: () => {
        workspace.running -= 1;
        workspace.crowd.finished(this.now());
        if (workspace.running === 0) this.#workspaces.delete(key);
      },
    };
  }
}
