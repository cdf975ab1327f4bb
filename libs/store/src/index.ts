export { type StoreOptions, type StoreRole, createDataSource } from './connection/create-data-source.ts';
export { closeDataSource, inScope } from './connection/in-scope.ts';
export { StoreUnavailable } from './connection/store-unavailable.ts';
export { migrate } from './migrate/migrate.ts';
export type {
  CreateOutcome,
  DeleteOutcome,
  Expectation,
  GenerationPage,
  LabelRequirement,
  Place,
  ReplaceOutcome,
  ResourceContent,
  ResourceGeneration,
  ResourceKey,
  ResourcePage,
  ResourceQuery,
  ResourceStore,
  StatusOutcome,
  StoredResource,
} from './resources/resource-store.ts';
export { PostgresResourceStore } from './resources/postgres-resource-store.ts';
export { type Discovery, type DiscoveryOutcome, type DiscoverySummary, applyDiscovery } from './discovery/apply-discovery.ts';
export { type DiscoveredNames } from './discovery/name-discovered-tools.ts';
export type { CancelRunOutcome, CreateRunOutcome, NewRun, RunPage, RunStore, RunToolCall, StoredRun } from './runs/run-store.ts';
export { PostgresRunStore } from './runs/postgres-run-store.ts';
export { type ClaimedMessage, Outbox, type OutboxMessage } from './outbox/outbox.ts';
export { PostgresAttemptStore } from './attempts/postgres-attempt-store.ts';
