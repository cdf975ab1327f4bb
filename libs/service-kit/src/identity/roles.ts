import { type Permission, permissions } from './identity.ts';

const viewer = ['hooks.read', 'tools.read', 'runs.read', 'governance.read'] as const satisfies Permission[];

/** What each role may do. */
export const roles = {
  viewer,
  auditor: [...viewer, 'governance.arguments.read'],
  operator: [...viewer, 'runs.execute'],
  admin: permissions,
} as const satisfies Record<string, readonly Permission[]>;
export type Role = keyof typeof roles;

const isRole = (name: string): name is Role => Object.hasOwn(roles, name);

/** The permissions of all these roles together; a name that is no role grants nothing. */
export const toPermissions = (names: readonly string[]): ReadonlySet<Permission> =>
  new Set(names.filter(isRole).flatMap((name) => [...roles[name]]));
