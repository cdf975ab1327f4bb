/** The isolation scope: every durable thing belongs to exactly one Workspace of one Tenant. */
export interface Scope {
  readonly tenantId: string;
  readonly workspaceId: string;
}

/** Who owns tool calls: one agent execution (`RuntimeRun`) or one flow execution (`FlowRun`). */
export type OwnerKind = 'RuntimeRun' | 'FlowRun';

/** The owner kind as it stands in subjects and URL paths. */
export type OwnerKindToken = 'runtime' | 'flow';

/** Identifies a Run. */
export interface RunKey extends Scope {
  readonly ownerKind: OwnerKind;
  readonly runId: string;
}

/** Identifies a logical Tool Call, which may need several physical attempts. */
export interface ToolCallKey extends RunKey {
  readonly toolCallId: string;
}

const ownerKindTokens: Readonly<Record<OwnerKind, OwnerKindToken>> = { RuntimeRun: 'runtime', FlowRun: 'flow' };

/** `RuntimeRun` -> `runtime`, `FlowRun` -> `flow`. */
export const toOwnerKindToken = (kind: OwnerKind): OwnerKindToken => ownerKindTokens[kind];

/** Reads `runtime`, `flow`, `RuntimeRun` or `FlowRun` in any case; undefined for anything else. */
export function parseOwnerKind(text: string): OwnerKind | undefined {
  switch (text.toLowerCase()) {
    case 'runtime':
    case 'runtimerun':
      return 'RuntimeRun';
    case 'flow':
    case 'flowrun':
      return 'FlowRun';
    default:
      return undefined;
  }
}

/** The grammar of every name that crosses a wire. Comparison is always exact and case-sensitive. */
export const patterns = {
  /** Tenant and Workspace ids. */
  scopeId: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
  /** `runId`, `toolCallId`, `requestId`, `correlationId`, `principalId`: printable ASCII without space. */
  id: '^[\\x21-\\x7E]{1,128}$',
  agentId: '^[\\x21-\\x7E]{1,256}$',
  /** `toolId`, `providerId`: a resource name, with its namespace before it unless that is `default`. */
  canonicalId: '^(?:[a-z0-9][a-z0-9.-]{0,127}/)?[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$',
  resourceName: '^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9])?$',
  providerName: '^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?$',
  namespace: '^[a-z0-9][a-z0-9.-]{0,127}$',
  /** Stable codes of denials and of local hooks. */
  code: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$',
} as const;

const compiled = Object.fromEntries(Object.entries(patterns).map(([name, pattern]) => [name, new RegExp(pattern)])) as Record<
  keyof typeof patterns,
  RegExp
>;

/** Whether `text` is a legal value of that grammar. */
export const matches = (grammar: keyof typeof patterns, text: string): boolean => compiled[grammar].test(text);

/** `.` and `..` are legal ids nowhere: an HTTP client would resolve them as path segments. */
export const isPathSafeId = (id: string): boolean => matches('id', id) && id !== '.' && id !== '..';

/** The namespace that a name without one lives in. */
export const defaultNamespace = 'default';

/** `name` in namespace `default`, else `namespace/name`: the form of `toolId` and `providerId`. */
export const toCanonicalId = (namespace: string, name: string): string => (namespace === defaultNamespace ? name : `${namespace}/${name}`);

/** The inverse of {@link toCanonicalId}. */
export function parseCanonicalId(id: string): { namespace: string; name: string } {
  const slash = id.indexOf('/');
  return slash < 0 ? { namespace: defaultNamespace, name: id } : { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
}
