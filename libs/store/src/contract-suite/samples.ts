import type { HookSelector, ResourceKind, Scope, ToolExecutionHookDefinition } from '@agentstration/contracts';
import type { ResourceContent, ResourceKey } from '../resources/resource-store.ts';

/** A Workspace that no other test uses. */
export const newScope = (): Scope => ({ tenantId: 'tenant', workspaceId: `w${crypto.randomUUID()}` });

export const resourceKey = (scope: Scope, kind: ResourceKind, name: string, namespace = 'default'): ResourceKey => ({
  tenantId: scope.tenantId,
  workspaceId: scope.workspaceId,
  kind,
  namespace,
  name,
});

export const content = (definition: object, labels: Record<string, string> = {}): ResourceContent => ({
  labels,
  annotations: {},
  definition,
});

export type HookSample = Partial<Omit<ToolExecutionHookDefinition, 'selector'>> & { readonly selector?: Partial<HookSelector> };

export const hookDefinition = ({ selector, ...rest }: HookSample = {}): ToolExecutionHookDefinition => ({
  displayName: 'A hook',
  enabled: true,
  order: 0,
  handler: 'deny',
  selector: { tools: [], providers: [], agents: [], ...selector },
  configuration: { code: 'denied', message: 'Not here.' },
  ...rest,
});

export const providerDefinition = {
  displayName: 'Everything',
  enabled: true,
  providerType: 'mcp',
  mcp: { transport: 'stdio', profile: 'everything' },
};
