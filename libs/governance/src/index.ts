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
