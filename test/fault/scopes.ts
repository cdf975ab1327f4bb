import type { Scope } from '@agentstration/contracts';

/** Two that share their tenant, and one that shares the other's name: whoever forgets half of a scope mixes them up. */
export const scopes: readonly Scope[] = [
  { tenantId: 'acme', workspaceId: 'support' },
  { tenantId: 'acme', workspaceId: 'sales' },
  { tenantId: 'globex', workspaceId: 'support' },
];

export const nameOf = ({ tenantId, workspaceId }: Scope): string => `${tenantId}/${workspaceId}`;

/** What the servers of this Workspace are called with, and no others. */
export const credentialOf = (scope: Scope): string => `credential of ${nameOf(scope)}`;

/** Names of profiles and secrets, which are the host's and not a Workspace's. */
export const entryOf = ({ tenantId, workspaceId }: Scope): string => `${tenantId}-${workspaceId}`;
