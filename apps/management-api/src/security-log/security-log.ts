/** Who did what to what, and how it ended. Never a definition, an argument or a token. */
export interface SecurityRecord {
  readonly action: 'resource.create' | 'resource.replace' | 'resource.delete' | 'provider.refresh' | 'run.create' | 'run.cancel';
  readonly principalId: string;
  readonly tenantId: string;
  readonly workspaceId: string;
  /** `ToolExecutionHook default/block` or `RuntimeRun run-42`. */
  readonly target: string;
  /** Null where there was none, or where nobody could tell. */
  readonly generationBefore: number | null;
  readonly generationAfter: number | null;
  /** `created`, `replaced`, `unchanged`, `deleted`, `conflict`, `not_found`, `already_exists`, …, or `failed`. */
  readonly outcome: string;
}

/** Where the records of writes go. */
export interface SecurityLog {
  record(entry: SecurityRecord): void;
}
