export { type Acknowledgement, type AcknowledgementVerdict, judgeAcknowledgement } from './gate/acknowledgement.ts';
export { type Gate, type Permit, type PermitTerm, type PermitUse, type PermittedAttempt, everyAllowed, openGate } from './gate/permit.ts';
export { type FactToRecord, type RecordOutcome, decodeFact, encodeFact, recordFact } from './gate/record-fact.ts';
export {
  type Append,
  type AppendOutcome,
  type Journal,
  JournalUnavailable,
  type RecordedFact,
  type StoredMessage,
} from './ports/journal.ts';
export {
  type ConfiguredProvider,
  DiscoveryFailed,
  type ProviderCall,
  type ProviderOutcome,
  type ToolDiscovery,
  type ToolProviders,
} from './ports/tool-providers.ts';
export type { AttemptContext, AttemptQuery, AttemptStore, CatalogueEntry, HookRow, RunState } from './ports/attempt-store.ts';
export type { Hook, HookAnswer, HookInvocation, HookOutcome } from './ports/hook.ts';
export { type DenyConfiguration } from './handlers/deny/deny.ts';
export { handlers } from './handlers/handlers.ts';
export type { HookHandler } from './handlers/hook-handler.ts';
export { hookDefinitionSchema, validateHookDefinition } from './definitions/validate-hook-definition.ts';
export {
  type DefinitionOf,
  type Manifest,
  type ManifestAddress,
  definitionValidators,
  validateManifest,
} from './definitions/validate-manifest.ts';
export { type GivenMetadata, metadataSchema, validateMetadata } from './definitions/validate-metadata.ts';
export { defaultToolDefinition, toolDefinitionSchema, validateToolDefinition } from './definitions/validate-tool-definition.ts';
export { toolProviderDefinitionSchema, validateToolProviderDefinition } from './definitions/validate-tool-provider-definition.ts';
export type { Validated } from './definitions/validated.ts';
export { captureArguments, shouldRetainArguments, truncationSuffix } from './arguments/capture-arguments.ts';
export { type ChainResult, type ChainVerdict, evaluateHookChain } from './hook-chain/evaluate-hook-chain.ts';
export { type EnteredAttempt, notifyAfterInvoke } from './hook-chain/notify-after-invoke.ts';
export { type OrderedHooks, maximumChainLength, orderHooks } from './hook-chain/order-hooks.ts';
export type { Limited, TimeLimit } from './hook-chain/time-limit.ts';
export { type SelectorMatch, type SelectorTarget, matchSelector } from './managed-hooks/match-selector.ts';
export { type ManagedHooks, managedHookId, resolveManagedHooks } from './managed-hooks/resolve-managed-hooks.ts';
export { type CatalogueRefusal, checkCatalogue } from './tool-call/check-catalogue.ts';
export { type Conclusion, type RetryTerms, concludeProviderCall } from './tool-call/conclude-provider-call.ts';
export { type DeliveredRequest, type DeliveryDecision, type QueueKnowledge, decideDelivery } from './tool-call/decide-delivery.ts';
export { evolveToolCall, foldToolCall } from './tool-call/evolve-tool-call.ts';
export { largestRedeliveryDelayMs, redeliveryDelayMs } from './tool-call/redelivery-delay.ts';
export { type AttemptEnd, type AttemptState, type ToolCallState, initialToolCallState } from './tool-call/tool-call-state.ts';
export { type Numbered, type Numbers, timestampOf } from './records/numbered-fact.ts';
export { type AttemptFailure, type TracedAttempt, type Ending, type GovernanceMark, evolveAttempt } from './records/traced-attempt.ts';
export { type GovernanceRecord, decisionOf, isRecordOf, toRecord } from './records/governance-record.ts';
export { type RunFold, attemptKey, emptyFold, evolveRecord, foldRun, isToolFact, toToolCalls } from './records/fold-run.ts';
export {
  type AttemptTrace,
  type LateOutcome,
  type ToolCallAttempts,
  type ToolCallStateName,
  type ToolCallTrace,
  toToolCallTrace,
} from './records/tool-call-trace.ts';
export { type RunEvent, withholdArguments } from './records/run-event.ts';
export { type ReadMessage, readJournalMessage } from './records/read-journal-message.ts';
