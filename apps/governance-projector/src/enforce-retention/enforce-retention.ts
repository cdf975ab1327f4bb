import type { Scope } from '@agentstration/contracts';
import { type Removal, type Removed, listWorkspaces, removeOldest } from '@agentstration/store/read-model';
import type { DataSource } from 'typeorm';

/** For how many days the read model of a Workspace is kept; undefined: for ever. */
export type RetentionDays = (scope: Scope) => number | undefined;

/** What was removed from one Workspace. */
export type WorkspaceRemoval = Removal & Removed;

export interface RetentionRun {
  readonly database: DataSource;
  readonly days: RetentionDays;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly signal?: AbortSignal;
}

const dayMs = 86_400_000;

/** Removes what is too old from the read model, Workspace by Workspace, and answers what that was. The Journal is never trimmed. */
export async function enforceRetention({ database, days, now, signal }: RetentionRun): Promise<WorkspaceRemoval[]> {
  const all: WorkspaceRemoval[] = [];
  for (const scope of await listWorkspaces(database)) {
    const kept = days(scope);
    if (kept === undefined) continue;
    let sum: WorkspaceRemoval | undefined;
    while (!signal?.aborted) {
      const removed = await removeOldest(database, { ...scope, before: now - kept * dayMs });
      if (!removed) break;
      sum = add(sum, removed);
    }
    if (sum) all.push(sum);
  }
  return all;
}

const add = (sum: WorkspaceRemoval | undefined, more: WorkspaceRemoval): WorkspaceRemoval => ({
  ...more,
  messages: (sum?.messages ?? 0) + more.messages,
  records: (sum?.records ?? 0) + more.records,
  attempts: (sum?.attempts ?? 0) + more.attempts,
});
