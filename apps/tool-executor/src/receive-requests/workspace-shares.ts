import type { Scope } from '@agentstration/contracts';

/** How many requests of each Workspace run at a time: none may take more than its share. */
export class WorkspaceShares {
  readonly #running = new Map<string, number>();

  constructor(private readonly maximumPerWorkspace: number) {}

  /** Takes a place of the Workspace's share; undefined when the share is used up. Call the answer to give it back. */
  take({ tenantId, workspaceId }: Scope): (() => void) | undefined {
    const key = `${tenantId}.${workspaceId}`;
    const running = this.#running.get(key) ?? 0;
    if (running >= this.maximumPerWorkspace) return undefined;
    this.#running.set(key, running + 1);
    return () => this.#give(key);
  }

  #give(key: string): void {
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left > 0) this.#running.set(key, left);
    else this.#running.delete(key);
  }
}
