import type { RunKey, Scope } from '@agentstration/contracts';
import type { Parameters } from '../project/rows.ts';
import type { TableNames } from '../tables/generation-tables.ts';
import { encodeText } from '../tables/text-codec.ts';

/**
 * `owner`: the Workspace that asks, and its Run where one is named. Every query goes through it, so that it can find
 * nothing of another Workspace.
 */
export function ownerOf(who: Scope | RunKey, t: TableNames, to: Parameters): string {
  const workspace = `w.tenant_id = ${to.add(who.tenantId)} AND w.workspace_id = ${to.add(who.workspaceId)}`;
  if (!('runId' in who)) {
    return `owner AS MATERIALIZED (SELECT w.workspace_key, w.last_sequence, w.removed_through FROM ${t.workspace} AS w WHERE ${workspace})`;
  }
  return `owner AS MATERIALIZED (SELECT r.run_key, w.workspace_key, w.removed_through FROM ${t.workspace} AS w
    JOIN ${t.run} AS r USING (workspace_key)
    WHERE ${workspace} AND r.run_id = ${to.add(encodeText(who.runId))} AND r.owner_kind = ${to.add(who.ownerKind)})`;
}

/** What `owner` says in each row; null when there is no such Workspace or Run. */
export interface OwnerColumns {
  readonly known: boolean | null;
  readonly removed_through: string | null;
}
export const ownerColumns = `owner.workspace_key IS NOT NULL AS known, owner.removed_through`;

/** The same of a Workspace, and the newest number that it has given. */
export interface WorkspaceColumns extends OwnerColumns {
  readonly last_sequence: string | null;
}
export const workspaceColumns = `${ownerColumns}, owner.last_sequence`;

/** The condition that a keyed row belongs to the owner: a value the planner knows to be one, so that indexes give the order. */
export const ofRun = (alias: string): string => `${alias}.run_key = (SELECT run_key FROM owner)`;
export const ofWorkspace = (alias: string): string => `${alias}.workspace_key = (SELECT workspace_key FROM owner)`;

/** What is known of the one who asks. */
export interface Owner {
  /** Whether the Journal has a message of that Workspace or Run. */
  readonly known: boolean;
  /** Records up to this workspaceSequence may have been removed by retention; 0 when none were. */
  readonly removedThrough: number;
}

export const toOwner = ([row]: readonly Partial<OwnerColumns>[]): Owner => ({
  known: row?.known === true,
  removedThrough: Number(row?.removed_through ?? 0),
});
