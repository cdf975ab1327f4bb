import type { ResourceKind, Scope } from '@agentstration/contracts';

/** Names one resource. Comparison is exact and case-sensitive. */
export interface ResourceKey extends Scope {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
}

/** What a writer decides about a resource. */
export interface ResourceContent {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly definition: object;
}

/** A resource as it is stored. `status` of a Tool holds the fields of `ToolStatus` besides its conditions. */
export interface StoredResource extends ResourceKey, ResourceContent {
  readonly uid: string;
  /** Grows by one with every change of `definition`; never goes back or repeats for a key, not over delete and re-create. */
  readonly generation: number;
  /** Grows by one with every change that a reader can see. `uid` and `revision` together name one exact representation. */
  readonly revision: number;
  readonly status: Readonly<Record<string, unknown>>;
  /** RFC 3339, UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** One definition that a resource had, who made it and when. */
export interface ResourceGeneration {
  readonly uid: string;
  readonly generation: number;
  readonly definition: object;
  readonly changedBy: string;
  readonly changedAt: string;
  /** The resource was deleted in this generation. */
  readonly deletion: { readonly deletedBy: string; readonly deletedAt: string } | null;
}

/** One requirement on a label, as in Kubernetes: all of a list must hold. `notIn` holds for an absent label too. */
export type LabelRequirement =
  | { readonly key: string; readonly operator: 'in' | 'notIn'; readonly values: readonly string[] }
  | { readonly key: string; readonly operator: 'exists' | 'doesNotExist' };

export interface ResourceQuery extends Scope {
  readonly kind: ResourceKind;
  /** Every namespace when absent. */
  readonly namespace?: string;
  readonly labels?: readonly LabelRequirement[];
  readonly limit: number;
  /** Continue after this one, in the order of namespace and name (by code unit). */
  readonly after?: Place;
}

/** Where a page ended. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

export interface ResourcePage {
  readonly items: readonly StoredResource[];
  /** Null on the last page. */
  readonly next: Place | null;
}

/** A write that holds only while the resource is as the writer saw it. */
export interface Expectation {
  readonly uid: string;
  readonly revision: number;
}

export type CreateOutcome =
  { readonly kind: 'created'; readonly resource: StoredResource } | { readonly kind: 'already_exists'; readonly resource: StoredResource };

/** `unchanged`: what was asked for is what stands there; neither generation nor revision moved. */
export type ReplaceOutcome =
  | { readonly kind: 'replaced'; readonly resource: StoredResource; readonly previousGeneration: number }
  | { readonly kind: 'unchanged'; readonly resource: StoredResource }
  | { readonly kind: 'conflict'; readonly resource: StoredResource }
  | { readonly kind: 'not_found' };

export type DeleteOutcome =
  | { readonly kind: 'deleted'; readonly resource: StoredResource }
  | { readonly kind: 'conflict'; readonly resource: StoredResource }
  | { readonly kind: 'not_found' };

export type StatusOutcome = { readonly kind: 'updated' | 'unchanged'; readonly resource: StoredResource } | { readonly kind: 'not_found' };

export interface GenerationPage {
  /** Newest first. */
  readonly items: readonly ResourceGeneration[];
  /** Continue below this generation; null on the last page. */
  readonly next: number | null;
}

/**
 * Resources of a Workspace: hooks, tool providers and tools. Expected ends are values; every method rejects with
 * `StoreUnavailable` while the database cannot be used. A write that has answered governs every attempt resolved later.
 */
export interface ResourceStore {
  create(key: ResourceKey, content: ResourceContent, by: string): Promise<CreateOutcome>;
  get(key: ResourceKey): Promise<StoredResource | undefined>;
  list(query: ResourceQuery): Promise<ResourcePage>;
  /**
   * Compare-and-set against the resource as the writer read it: of any number of writers that saw the same, one wins.
   * Content that says the same as what stands there changes nothing.
   */
  replace(
    key: ResourceKey,
    change: { readonly expected: StoredResource; readonly content: ResourceContent },
    by: string,
  ): Promise<ReplaceOutcome>;
  /** A deleted ToolProvider's Tools become unavailable in the same transaction. */
  delete(key: ResourceKey, expected: Expectation, by: string): Promise<DeleteOutcome>;
  /** Merges into `status` (a null value removes); `uid`, when given, guards against a resource made anew meanwhile. */
  setStatus(key: ResourceKey, status: Readonly<Record<string, unknown>>, uid?: string): Promise<StatusOutcome>;
  /** The history, of deleted resources too; undefined when nothing ever had this name. */
  listGenerations(key: ResourceKey, page: { readonly limit: number; readonly before?: number }): Promise<GenerationPage | undefined>;
  getGeneration(key: ResourceKey, generation: number): Promise<ResourceGeneration | undefined>;
}
