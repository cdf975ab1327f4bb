import type { Scope, ToolCallKey, ToolRequest, ToolResult } from '@agentstration/contracts';

/** A well-formed Request as the queue delivered it. */
export interface Delivery {
  readonly scope: Scope;
  readonly request: ToolRequest;
  /** The Request's own id, or its place in the queue. */
  readonly requestId: string;
  /** `<stream identity>:<sequence>`. */
  readonly queuePosition: string;
  /** Delivered before: there may be facts of it. */
  readonly redelivered: boolean;
  /** W3C trace context of the requester. */
  readonly traceparent?: string;
  /** Aborts when the caller cancels. */
  readonly signal: AbortSignal;
}

/** What is to become of the Request's message. */
export type DeliveryEnd =
  /** Send the result, then acknowledge. */
  | { readonly kind: 'finished'; readonly result: ToolResult }
  /** Deliver again after this many milliseconds. */
  | { readonly kind: 'again'; readonly delayMs: number }
  /** Leave the message alone: another executor has it, or this one is going away. */
  | { readonly kind: 'released' };

export const toolCallOf = ({ scope, request }: Delivery): ToolCallKey => ({
  ...scope,
  ownerKind: request.run.ownerKind,
  runId: request.run.runId,
  toolCallId: request.toolCallId,
});
