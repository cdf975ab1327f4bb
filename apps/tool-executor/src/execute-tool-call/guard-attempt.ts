import type { ErrorType, Evaluation } from '@agentstration/contracts';
import {
  type AttemptContext,
  type CatalogueEntry,
  type CatalogueRefusal,
  type ChainResult,
  type HookInvocation,
  type OrderedHooks,
  checkCatalogue,
  evaluateHookChain,
  orderHooks,
  resolveManagedHooks,
} from '@agentstration/governance';
import type { Delivery } from './delivery.ts';
import type { ExecutorParts } from './executor-parts.ts';

/** What stands between the start of an attempt and the gate. */
export type Guarded =
  /** The chain was asked. */
  | { readonly kind: 'evaluated'; readonly chain: ChainResult; readonly entry: CatalogueEntry; readonly invocation: HookInvocation }
  /** The Tool cannot be called; no hook was asked. */
  | { readonly kind: 'refused'; readonly code: CatalogueRefusal; readonly evaluations: readonly Evaluation[] }
  /** Nobody can tell which hooks hold, or they are no chain. */
  | { readonly kind: 'unresolved'; readonly errorType: UnresolvedType; readonly evaluations: readonly Evaluation[] };

export type UnresolvedType = Extract<ErrorType, 'HookFailed' | 'TooManyHooks'>;

export interface ToGuard {
  readonly delivery: Delivery;
  readonly invocationId: string;
  readonly attempt: number;
  /** Undefined when the store could not be read. */
  readonly context: AttemptContext | undefined;
}

/** Checks the catalogue, resolves the hooks and asks them. Never rejects. */
export async function guardAttempt(parts: ExecutorParts, toGuard: ToGuard): Promise<Guarded> {
  const { context, delivery } = toGuard;
  if (!context) return unresolved('HookFailed');
  const refusal = checkCatalogue(context.entry);
  if (refusal || !context.entry) return refused(refusal ?? 'tool_not_found');
  const ordered = chainOf(parts, delivery, { context, entry: context.entry });
  if (!ordered.ok) return unresolved(ordered.reason === 'too_many_hooks' ? 'TooManyHooks' : 'HookFailed');
  const invocation = describe(toGuard, context.entry);
  const chain = await evaluateHookChain(ordered.hooks, invocation, parts.hookTimeLimit);
  return { kind: 'evaluated', chain, entry: context.entry, invocation };
}

const failed = (id: string, code: string): Evaluation => ({ hook: { id, order: 0, source: 'Local' }, decision: 'Failed', code });

const unresolved = (errorType: UnresolvedType): Guarded => ({
  kind: 'unresolved',
  errorType,
  evaluations: [failed('hook-resolver', 'tool_execution_hook_resolution_failed')],
});

const refused = (code: CatalogueRefusal): Guarded => ({ kind: 'refused', code, evaluations: [failed('tool-catalog', code)] });

interface Resolved {
  readonly context: AttemptContext;
  readonly entry: CatalogueEntry;
}

/** The ordered chain; where there is none, a line in the log says which hook spoils it. */
function chainOf(
  parts: ExecutorParts,
  delivery: Delivery,
  { context, entry }: Resolved,
): OrderedHooks | { readonly ok: false; readonly reason: 'invalid_resource' } {
  const { request, scope } = delivery;
  const target = { toolId: entry.toolId, providerId: entry.provider.providerId, agentId: request.agentId };
  const managed = resolveManagedHooks(context.hooks, scope, target);
  if (!managed.ok) {
    parts.log.error(
      { ...scope, hook: managed.resourceId, reason: managed.reason },
      'a hook resource spoils the resolution; calls of the workspace fail closed',
    );
    return { ok: false, reason: 'invalid_resource' };
  }
  const ordered = orderHooks([...parts.localHooks, ...managed.hooks]);
  if (!ordered.ok)
    parts.log.error(
      { ...scope, toolId: entry.toolId, reason: ordered.reason },
      'the hook chain is not valid; calls of the tool fail closed',
    );
  return ordered;
}

function describe({ delivery, invocationId, attempt }: ToGuard, entry: CatalogueEntry): HookInvocation {
  const { request, scope } = delivery;
  return Object.freeze({
    scope,
    ownerKind: request.run.ownerKind,
    runId: request.run.runId,
    toolCallId: request.toolCallId,
    invocationId,
    attempt,
    toolId: entry.toolId,
    toolName: entry.toolName,
    providerId: entry.provider.providerId,
    externalToolId: entry.externalToolId,
    agentId: request.agentId,
    ...(request.principalId === undefined ? {} : { principalId: request.principalId }),
    ...(request.correlationId === undefined ? {} : { correlationId: request.correlationId }),
    arguments: deepFreeze(structuredClone(request.arguments ?? {})),
  });
}

/** A guard that tries to change the arguments throws, and so fails closed. */
function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
