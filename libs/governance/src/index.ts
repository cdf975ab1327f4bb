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
