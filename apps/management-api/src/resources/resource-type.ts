import type { ResourceKind } from '@agentstration/contracts';
import type { Permission } from '@agentstration/service-kit';

/** One kind of resource as HTTP shows it. The verbs are written once, for all of them. */
export interface ResourceType<Kind extends ResourceKind = ResourceKind> {
  readonly kind: Kind;
  /** The path below `/api`. */
  readonly path: 'toolexecutionhooks' | 'toolproviders' | 'tools';
  readonly read: Permission;
  readonly write: Permission;
  /** Whether users create and delete them; Tools come and go by discovery. */
  readonly madeByUsers: boolean;
}

export const hookType: ResourceType<'ToolExecutionHook'> = {
  kind: 'ToolExecutionHook',
  path: 'toolexecutionhooks',
  read: 'hooks.read',
  write: 'hooks.write',
  madeByUsers: true,
};
export const toolProviderType: ResourceType<'ToolProvider'> = {
  kind: 'ToolProvider',
  path: 'toolproviders',
  read: 'tools.read',
  write: 'tools.write',
  madeByUsers: true,
};
export const toolType: ResourceType<'Tool'> = {
  kind: 'Tool',
  path: 'tools',
  read: 'tools.read',
  write: 'tools.write',
  madeByUsers: false,
};

export const resourceTypes = [hookType, toolProviderType, toolType] as const;
