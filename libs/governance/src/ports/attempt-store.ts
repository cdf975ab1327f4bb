import type { RunKey, ToolDefinition } from '@agentstration/contracts';
import type { ConfiguredProvider } from './tool-providers.ts';

/** A hook resource as its row says: nothing in it is trusted before `resolveManagedHooks` has checked it. */
export interface HookRow {
  readonly tenantId: string;
  readonly workspaceId: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly definition: unknown;
}

/** A Tool of the catalogue. `tool` and `provider` come from one snapshot. */
export interface CatalogueEntry {
  readonly toolId: string;
  readonly toolName: string;
  readonly externalToolId: string;
  readonly available: boolean;
  readonly definition: ToolDefinition;
  readonly provider: ConfiguredProvider;
}

/** What the store knows about the Run of a call. */
export interface RunState {
  readonly registered: boolean;
  readonly cancelled: boolean;
  /** The Run's own choice; null inherits the host's. */
  readonly persistToolArguments: boolean | null;
}

export interface AttemptQuery extends RunKey {
  readonly toolId: string;
  readonly agentId: string;
}

/** All that one attempt is governed by, read in one snapshot. */
export interface AttemptContext {
  readonly entry: CatalogueEntry | undefined;
  /** Rows that may match, and every row of the Workspace known to be invalid. */
  readonly hooks: readonly HookRow[];
  readonly run: RunState;
}

/** Reads what governs an attempt, from the current store on every attempt. Rejects when the store cannot be read. */
export interface AttemptStore {
  resolve(query: AttemptQuery): Promise<AttemptContext>;
}
