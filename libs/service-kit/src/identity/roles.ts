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

const granted = new WeakMap<readonly string[], ReadonlySet<Permission>>();

/** The permissions of all these roles together; a name that is no role grants nothing. The same list is read once. */
export function toPermissions(names: readonly string[]): ReadonlySet<Permission> {
  const known = granted.get(names);
  if (known) return known;
  const together = new Set(names.filter(isRole).flatMap((name) => [...roles[name]]));
  granted.set(names, together);
  return together;
}
