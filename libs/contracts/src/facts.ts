import type { OwnerKind } from './identities.ts';

/** One hook's result in one attempt. Only `Allowed` lets the chain go on. */
export type Decision = 'Allowed' | 'Denied' | 'Failed';

/** How an attempt ended. `Unknown`: the provider may have run the tool, and nobody can tell. */
export type Outcome = 'Succeeded' | 'Failed' | 'Denied' | 'Cancelled' | 'Unknown';

/** Why an attempt failed. `Rejected`: the request cannot be honoured. */
export type FailureKind = 'Denied' | 'Hook' | 'Provider' | 'Cancelled' | 'Rejected';

/** Whether a Tool may be called again after an attempt whose outcome nobody knows. */
export type Delivery = 'AtLeastOnce' | 'AtMostOnce';

/** Where a hook comes from: registered in the executor's process, or backed by a `ToolExecutionHook` resource. */
export type HookSource = 'Local' | 'Managed';

export interface EvaluatedHook {
  readonly id: string;
  readonly order: number;
  readonly source: HookSource;
  /** `<namespace>/<name>` of the resource behind a managed hook. */
  readonly resourceId?: string;
  readonly resourceGeneration?: number;
}

export interface Evaluation {
  readonly hook: EvaluatedHook;
  readonly decision: Decision;
  readonly code?: string;
}

/** Arguments kept by explicit choice. `length` counts UTF-16 units before cutting. */
export interface RetainedArguments {
  readonly json: string;
  readonly truncated: boolean;
  readonly length: number;
}

/** What every fact of a tool call says. Null where the catalogue did not know the tool. */
export interface ToolFactData {
  readonly ownerKind: OwnerKind;
  readonly runId: string;
  readonly toolCallId: string;
  readonly invocationId: string;
  readonly attempt: number;
  readonly requestId: string;
  readonly toolId: string;
  readonly toolName: string | null;
  readonly providerId: string | null;
  readonly externalToolId: string | null;
  readonly agentId: string;
  readonly agentVersion?: number;
  readonly agentGeneration?: number;
  readonly agentRevisionId?: string;
  readonly principalId?: string;
  readonly correlationId?: string;
}

export interface GovernanceEvaluatedData extends ToolFactData {
  readonly evaluations: readonly Evaluation[];
  readonly delivery: Delivery;
  /** Present only when retention was asked for. */
  readonly arguments?: RetainedArguments;
}

export interface CompletedData extends ToolFactData {
  readonly durationMs: number;
  /** The tool itself answered `isError: true`: a completed invocation all the same. */
  readonly toolReportedError: boolean;
}

export interface FailedData extends ToolFactData {
  readonly durationMs: number;
  readonly failureKind: FailureKind;
  readonly outcome: Exclude<Outcome, 'Succeeded'>;
  readonly errorCode: string;
  readonly errorType: ErrorType;
  /** No further attempt of this Request follows. */
  readonly final: boolean;
}

export interface RunFactData {
  readonly ownerKind: OwnerKind;
  readonly runId: string;
  readonly agentId?: string;
  readonly principalId?: string;
  /** The Run whose tool calls and execution options this one repeats. */
  readonly retryOf?: string;
}

export const errorTypes = [
  'HookDenied',
  'HookFailed',
  'TooManyHooks',
  'GovernanceUnrecorded',
  'ToolCatalogRefused',
  'ProviderError',
  'ProviderTimeout',
  'ProviderConnection',
  'AttemptAbandoned',
  'Cancelled',
  'DeadlineExceeded',
] as const;

/** A closed list: error texts of providers never reach a fact. */
export type ErrorType = (typeof errorTypes)[number];

/** The codes of failures that no hook named. `docs/reference/codes.md` explains each. */
export const errorCodes = [
  'request_malformed',
  'request_not_accepted',
  'tool_call_mismatch',
  'tool_execution_hook_failed',
  'tool_execution_hook_timed_out',
  'tool_execution_hook_invalid_result',
  'tool_execution_hook_resolution_failed',
  'tool_execution_governance_unrecorded',
  'tool_not_found',
  'tool_disabled',
  'tool_unavailable',
  'tool_provider_disabled',
  'attempt_abandoned',
  'permit_expired',
  'deadline_exceeded',
  'cancelled',
  'run_cancelled',
  'provider_error',
  'provider_timeout',
  'provider_unreachable',
  'provider_unavailable',
  'provider_not_permitted',
  'provider_connection_lost',
  'provider_session_lost',
  'provider_protocol_error',
  'provider_result_too_large',
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/** Short fact names and what they carry. */
export interface ToolFacts {
  ToolExecutionStarted: ToolFactData;
  ToolExecutionGovernanceEvaluated: GovernanceEvaluatedData;
  ToolExecutionCompleted: CompletedData;
  ToolExecutionFailed: FailedData;
}
export interface RunFacts {
  RunCreated: RunFactData;
  RunCancelled: RunFactData;
}
export type ToolFactName = keyof ToolFacts;
export type RunFactName = keyof RunFacts;
export type FactName = ToolFactName | RunFactName;
type AllFacts = ToolFacts & RunFacts;

export type CloudEventType<Name extends FactName = FactName> = `io.agentstration.${Name}.v1`;

/** The CloudEvents `type` of a fact. */
export const cloudEventType = <Name extends FactName>(name: Name): CloudEventType<Name> => `io.agentstration.${name}.v1`;

/** An immutable lifecycle event as it stands in the Journal: a CloudEvents 1.0 event (structured JSON mode). */
export interface FactOf<Name extends FactName> {
  readonly specversion: '1.0';
  /** Unique per fact. */
  readonly id: string;
  /** `agentstration/tool-executor/<instance>`. */
  readonly source: string;
  readonly type: CloudEventType<Name>;
  /** The toolCallId; for facts of a Run, the runId. */
  readonly subject: string;
  /** RFC 3339, UTC. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly traceparent?: string;
  /** CloudEvents extension of Started: where the Request waits, `<stream identity>:<sequence>`. */
  readonly queueposition?: string;
  readonly data: AllFacts[Name];
}

export type ToolFact = { [Name in ToolFactName]: FactOf<Name> }[ToolFactName];
export type RunFact = { [Name in RunFactName]: FactOf<Name> }[RunFactName];
export type Fact = ToolFact | RunFact;

/** The content type of every Journal message. */
export const factContentType = 'application/cloudevents+json';

/** Whether `fact` is the named one; narrows the type. */
export const isFact = <Name extends FactName>(fact: Fact, name: Name): fact is Extract<Fact, FactOf<Name>> =>
  fact.type === cloudEventType(name);
