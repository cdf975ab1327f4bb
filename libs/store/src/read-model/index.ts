export {
  type Generation,
  activeGeneration,
  createGeneration,
  describeFormat,
  dropGeneration,
  ensureGeneration,
  indexGeneration,
  listGenerations,
  requireKnownFormat,
} from './generations.ts';
export { readModelFormat } from './tables/generation-tables.ts';
export type { ProjectedMessage } from './project/journal-messages.ts';
export { type Batch, applyBatch, messageHash } from './project/apply-batch.ts';
export { projectBatch } from './project/project-batch.ts';
export { JournalContradiction, LeaseLost } from './project/projection-errors.ts';
export { type Checkpoint, leaseRenewalMs, readCheckpoint, releaseLease, standbyRetryMs, takeLease } from './project/checkpoint.ts';
export { queryInScope } from '../connection/query-in-scope.ts';
export type { Statement } from '../connection/scoped-query.ts';
export { ReadModelReader } from './query/read-model-reader.ts';
export type { RecordFilter } from './query/record-filter.ts';
export { type RunPageQuery, type RunPosition, type RunRecordsQuery, listRunRecords } from './query/list-run-records.ts';
export type { RunPage } from './query/run-page.ts';
export type { RecordsText } from './query/record-rows.ts';
export { type RecordsQuery, type WorkspacePosition, listRecords } from './query/list-records.ts';
export { RecordLines, copyRecords } from './query/copy-records.ts';
export { listToolCalls } from './query/list-tool-calls.ts';
export { type RunEventsQuery, listRunEvents } from './query/list-run-events.ts';
export { type Changes, type ChangesQuery, type RecordChange, listChanges } from './query/list-changes.ts';
export { type DeadLettersPage, type ProjectionDeadLetter, listDeadLetters } from './query/list-dead-letters.ts';
export { type Summary, type SummaryBucket, type SummaryQuery, summariseRecords } from './query/summarise-records.ts';
export { type TableDifference, compareGenerations } from './compare/compare-generations.ts';
export { type HeldProjection, holdProjection, seeThenRelease } from './compare/hold-projection.ts';
export { switchGeneration } from './compare/switch-generation.ts';
export {
  type RecordedRemoval,
  type Retention,
  listWorkspaces,
  pendingRemovals,
  removeOldest,
  repeatRemoval,
} from './retention/removals.ts';
export type { Removal, Removed } from './retention/trim-workspace.ts';
export { type RetainedText, listRetainedArguments } from './query/list-retained-arguments.ts';
