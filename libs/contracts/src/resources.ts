import type { Delivery } from './facts.ts';

export const apiVersion = 'agentstration.io/v1';
export type ResourceKind = 'ToolExecutionHook' | 'ToolProvider' | 'Tool';

export interface ResourceMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly uid: string;
  /** Grows by one with every change of `definition`; never goes back or repeats for one name. */
  readonly generation: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A state that a controller found, in the form of Kubernetes conditions. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** A resource as the API answers it. */
export interface Resource<Definition, Status extends object = object> {
  readonly apiVersion: typeof apiVersion;
  readonly kind: ResourceKind;
  readonly metadata: ResourceMetadata;
  readonly definition: Definition;
  readonly status: Status & { readonly conditions: readonly Condition[] };
}

export interface HookSelector {
  readonly tools: readonly string[];
  readonly providers: readonly string[];
  readonly agents: readonly string[];
}

export interface ToolExecutionHookDefinition {
  readonly displayName: string;
  readonly enabled: boolean;
  readonly order: number;
  readonly handler: string;
  readonly selector: HookSelector;
  readonly configuration: Readonly<Record<string, unknown>>;
}

export type McpConnection =
  | { readonly transport: 'stdio'; readonly profile: string }
  | { readonly transport: 'streamableHttp'; readonly endpoint: string; readonly headerReferences?: Readonly<Record<string, string>> };

export type ToolProviderDefinition = { readonly displayName: string; readonly enabled: boolean } & (
  | { readonly providerType: 'mcp'; readonly mcp: McpConnection }
  | { readonly providerType: 'aep'; readonly aep: { readonly extensionId: string } }
);

export interface ToolDefinition {
  readonly enabled: boolean;
  readonly delivery: Delivery;
  readonly timeoutMs: number;
  readonly retry: { readonly maxAttempts: number; readonly backoffMs: number };
}

/** What discovery knows about a Tool. */
export interface ToolStatus {
  readonly providerId: string;
  readonly externalName: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly available: boolean;
}
