import type { RunKey, Scope } from '@agentstration/contracts';
import type { OutboxMessage } from '../outbox/outbox.ts';

/** One tool call of a manual Run. Its arguments are not here: they live in the request alone. */
export interface RunToolCall {
  readonly toolCallId: string;
  readonly toolId: string;
  readonly requestId: string;
}

/** What a Run is made with. Never changes afterwards. */
export interface NewRun extends RunKey {
  readonly agentId: string | null;
  readonly principalId: string;
  /** Null inherits the host's choice. */
  readonly persistToolArguments: boolean | null;
  readonly retryOf: string | null;
  /** Empty for a Run executed elsewhere. */
  readonly toolCalls: readonly RunToolCall[];
}

export interface StoredRun extends NewRun {
  readonly createdAt: string;
  readonly cancelledAt: string | null;
  readonly cancelledBy: string | null;
  /** Grows with every new Run: the order of `list`. */
  readonly position: string;
}

export interface RunPage {
  /** Newest first. */
  readonly items: readonly StoredRun[];
  /** Continue below this position; null on the last page. */
  readonly next: string | null;
}

export type CreateRunOutcome =
  { readonly kind: 'created'; readonly run: StoredRun } | { readonly kind: 'already_exists'; readonly run: StoredRun };

export type CancelRunOutcome =
  { readonly kind: 'cancelled' | 'already_cancelled'; readonly run: StoredRun } | { readonly kind: 'not_found' };

/** Runs that the management API knows. The messages of a write leave through the outbox, in its transaction. */
export interface RunStore {
  create(run: NewRun, messages: readonly OutboxMessage[]): Promise<CreateRunOutcome>;
  get(key: RunKey): Promise<StoredRun | undefined>;
  list(scope: Scope, page: { readonly limit: number; readonly before?: string }): Promise<RunPage>;
  /** Once answered, no attempt resolved later of this Run starts. The messages are written by the first cancellation only. */
  cancel(key: RunKey, by: string, messages: readonly OutboxMessage[]): Promise<CancelRunOutcome>;
}
