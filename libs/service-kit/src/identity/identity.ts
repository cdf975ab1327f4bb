import type { Scope } from '@agentstration/contracts';

export const permissions = [
  'hooks.read',
  'hooks.write',
  'tools.read',
  'tools.write',
  'runs.read',
  'runs.execute',
  'governance.read',
  'governance.arguments.read',
] as const;
export type Permission = (typeof permissions)[number];

/** Who asks, in which Workspace, and what they may do there. */
export interface Identity {
  readonly scope: Scope;
  /** The token's `sub`. */
  readonly principalId: string;
  readonly permissions: ReadonlySet<Permission>;
}
