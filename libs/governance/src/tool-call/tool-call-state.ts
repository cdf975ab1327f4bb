import type { CompletedData, Delivery, FailedData, ToolFactData } from '@agentstration/contracts';

/** How an attempt ended. */
export type AttemptEnd =
  { readonly kind: 'Completed'; readonly data: CompletedData } | { readonly kind: 'Failed'; readonly data: FailedData };

/** One physical attempt as its facts tell it. */
export interface AttemptState {
  readonly started: ToolFactData;
  /** `<stream identity>:<sequence>` of the Request in its queue. */
  readonly queuePosition: string | undefined;
  readonly governance: { readonly allowed: boolean; readonly delivery: Delivery } | undefined;
  readonly end: AttemptEnd | undefined;
}

/** What the attempts of one Request came to. */
export interface RequestState {
  /** Number of its `ToolExecutionStarted` facts. */
  readonly attempts: number;
  /** How its newest attempt ended; undefined while that is open. */
  readonly end: AttemptEnd | undefined;
}

/** A Tool Call folded from its facts. */
export interface ToolCallState {
  /** Sequence of the newest fact: the next fence. 0 when there is none. */
  readonly lastSequence: number;
  /** Number of `ToolExecutionStarted` facts. */
  readonly attempts: number;
  /** By `requestId`. */
  readonly requests: ReadonlyMap<string, RequestState>;
  /** The identity that the first Started fixed. */
  readonly identity: { readonly toolId: string; readonly agentId: string } | undefined;
  readonly newest: AttemptState | undefined;
}

export const initialToolCallState: ToolCallState = {
  lastSequence: 0,
  attempts: 0,
  requests: new Map(),
  identity: undefined,
  newest: undefined,
};
