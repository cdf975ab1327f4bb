export { type StoreOptions, createDataSource } from './connection/create-data-source.ts';
export { inScope } from './connection/in-scope.ts';
export { closeDataSource } from './connection/ready.ts';
export { StoreFailure } from './connection/store-failure.ts';
export { StoreUnavailable } from './connection/store-unavailable.ts';
export { migrate } from './migrate/migrate.ts';
export { MigrationFailed } from './migrate/migration-failed.ts';
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
export { type DiscoveredNames, type OfferedTools, nameDiscoveredTools } from './discovery/name-discovered-tools.ts';
export type { CancelRunOutcome, CreateRunOutcome, NewRun, RunPage, RunStore, RunToolCall, StoredRun } from './runs/run-store.ts';
export { PostgresRunStore } from './runs/postgres-run-store.ts';
export { type ClaimedMessage, Outbox, type OutboxMessage } from './outbox/outbox.ts';
export { InvalidRow } from './attempts/invalid-row.ts';
export { PostgresAttemptStore } from './attempts/postgres-attempt-store.ts';
