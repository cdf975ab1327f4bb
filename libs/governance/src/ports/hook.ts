import type { EvaluatedHook, Outcome, FailureKind, Scope, OwnerKind } from '@agentstration/contracts';

/** What a guard is told about the attempt it guards. */
export interface HookInvocation {
  readonly scope: Scope;
  readonly ownerKind: OwnerKind;
  readonly runId: string;
  readonly toolCallId: string;
  readonly invocationId: string;
  readonly attempt: number;
  readonly toolId: string;
  readonly toolName: string;
  readonly providerId: string;
  readonly externalToolId: string;
  readonly agentId: string;
  readonly principalId?: string;
  readonly correlationId?: string;
  /** A deep copy: a guard cannot change what the provider receives. */
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What a guard may answer. Anything else counts as `Failed`. */
export type HookAnswer =
  { readonly decision: 'Allowed' } | { readonly decision: 'Denied'; readonly code: string; readonly message: string };

/** How the attempt ended: never the provider's result. */
export interface HookOutcome {
  readonly outcome: Outcome;
  readonly failureKind: FailureKind | null;
  readonly code: string | null;
  readonly durationMs: number;
}

/**
 * A guard between the durable start of an attempt and the provider call. Runs at least once: it must tolerate being
 * asked again about the same attempt.
 */
export interface Hook {
  readonly identity: EvaluatedHook;
  evaluate(invocation: HookInvocation, signal: AbortSignal): Promise<HookAnswer> | HookAnswer;
  /** Told afterwards, in reverse order, when this guard was entered. */
  afterInvoke?(invocation: HookInvocation, outcome: HookOutcome, signal: AbortSignal): Promise<void> | void;
}
