import type { FailureKind, Outcome } from './facts.ts';
import type { OwnerKind } from './identities.ts';

/** The body of a tool request; Tenant and Workspace come from the subject alone. */
export interface ToolRequest {
  readonly requestId?: string;
  readonly toolCallId: string;
  readonly run: { readonly ownerKind: OwnerKind; readonly runId: string };
  readonly toolId: string;
  readonly agentId: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
  readonly agentVersion?: number;
  readonly agentGeneration?: number;
  readonly agentRevisionId?: string;
  readonly principalId?: string;
  readonly correlationId?: string;
  /** Bounds one provider call; the smaller of request and Tool wins. */
  readonly timeoutMs?: number;
  /** RFC 3339. Past it nothing starts. */
  readonly deadline?: string;
}

/** Asks running calls of a Run, or one of them, to stop. */
export interface CancelRequest {
  readonly ownerKind: OwnerKind;
  readonly runId: string;
  readonly toolCallId?: string;
}

export interface ToolFailure {
  readonly kind: FailureKind;
  readonly code: string;
  /** For people. A denial's message appears here and in the hook's definition, nowhere else. */
  readonly message: string;
  readonly hookId?: string;
}

/** What the requester receives. */
export interface ToolResult {
  readonly ownerKind: OwnerKind;
  readonly runId: string;
  readonly toolCallId: string;
  readonly requestId: string;
  /** Null when no attempt was started. */
  readonly invocationId: string | null;
  readonly attempt: number;
  readonly outcome: Outcome;
  readonly durationMs: number;
  /** The provider's `CallToolResult`, passed through. */
  readonly result: unknown;
  /** Why the outcome stands but its result is not here. */
  readonly resultOmitted: 'lost' | 'too_large' | null;
  readonly failure: ToolFailure | null;
}

/** What is kept of a message that could not be understood: never its content. */
export interface DeadLetter {
  readonly reason: string;
  readonly size: number;
  /** Hex SHA-256 of the payload. */
  readonly sha256: string;
  readonly receivedAt: string;
  readonly runId?: string;
  readonly ownerKind?: OwnerKind;
  readonly toolCallId?: string;
  readonly requestId?: string;
}

/** What a provider offers under one external name, as discovery reports it. */
export interface DiscoveredTool {
  readonly externalName: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
}

/** Management API to executor: only the executor reaches providers. */
export interface DiscoverRequest {
  readonly providerId: string;
  readonly generation: number;
  readonly definition: unknown;
}
export type DiscoverReply =
  { readonly tools: readonly DiscoveredTool[] } | { readonly error: { readonly code: string; readonly message: string } };
