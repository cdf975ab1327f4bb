import { isDeepStrictEqual } from 'node:util';
import type { DataSource } from 'typeorm';
import { queryInScope } from '../connection/query-in-scope.ts';
import { type Batch, SharedReads } from '../connection/shared-reads.ts';
import { StoreUnavailable } from '../connection/store-unavailable.ts';
import { listStatement } from './list-statement.ts';
import { type GenerationRow, type ResourceRow, toGeneration, toResource } from './resource-row.ts';
import * as statements from './resource-statements.ts';
import type {
  CreateOutcome,
  DeleteOutcome,
  Expectation,
  GenerationPage,
  ReplaceOutcome,
  ResourceContent,
  ResourceGeneration,
  ResourceKey,
  ResourcePage,
  ResourceQuery,
  ResourceStore,
  StatusOutcome,
  StoredResource,
} from './resource-store.ts';

/** A write that others overtake again and again is given up; each turn means that another one succeeded. */
const maximumTurns = 100;

/** How far reads share. Two at a time: one that hangs holds up nobody who comes after it. */
const sharing = { queries: 2, questions: 16 };

/**
 * Resources in PostgreSQL. A read is one round trip and so is a write: its statement is its transaction. Reads of single
 * resources that arrive while others are under way share the next round trip, which starts after all of them.
 */
export class PostgresResourceStore implements ResourceStore {
  readonly #reads = new SharedReads((keys: Batch<ResourceKey>) => this.#getAll(keys), sharing);

  constructor(private readonly dataSource: DataSource) {}

  async create(key: ResourceKey, content: ResourceContent, by: string): Promise<CreateOutcome> {
    return this.#inTurns(async () => {
      const created = await this.#one(key, statements.create(key, content, by));
      if (created) return { kind: 'created', resource: created };
      // Gone again since: then the name is free for another try.
      const resource = await this.get(key);
      return resource && { kind: 'already_exists', resource };
    });
  }

  get(key: ResourceKey): Promise<StoredResource | undefined> {
    // PostgreSQL refuses such a text, and with it the whole query: it must not take others along.
    const sociable = ![key.kind, key.namespace, key.name].some((text) => text.includes('\u0000'));
    return sociable ? this.#reads.ask(key) : this.#one(key, statements.get(key));
  }

  async list(query: ResourceQuery): Promise<ResourcePage> {
    const rows = await queryInScope<ResourceRow>(this.dataSource, query, listStatement(query));
    const items = rows.slice(0, query.limit).map(toResource);
    const last = items.at(-1);
    return { items, next: rows.length > items.length && last ? { namespace: last.namespace, name: last.name } : null };
  }

  async replace(
    key: ResourceKey,
    { expected, content }: { readonly expected: StoredResource; readonly content: ResourceContent },
    by: string,
  ): Promise<ReplaceOutcome> {
    if (!isSameContent(content, expected)) {
      const resource = await this.#one(key, statements.replace(key, { expected, content, by }));
      if (resource) return { kind: 'replaced', resource, previousGeneration: expected.generation };
    }
    const resource = await this.get(key);
    if (!resource) return { kind: 'not_found' };
    return { kind: isStill(resource, expected) && isSameContent(content, resource) ? 'unchanged' : 'conflict', resource };
  }

  async delete(key: ResourceKey, expected: Expectation, by: string): Promise<DeleteOutcome> {
    const deleted = await this.#one(key, statements.remove(key, expected, by));
    if (deleted) return { kind: 'deleted', resource: deleted };
    const resource = await this.get(key);
    return resource ? { kind: 'conflict', resource } : { kind: 'not_found' };
  }

  setStatus(key: ResourceKey, status: Readonly<Record<string, unknown>>, uid?: string): Promise<StatusOutcome> {
    return this.#inTurns(async () => {
      const [row] = await queryInScope<ResourceRow>(this.dataSource, key, statements.get(key));
      if (!row || (uid !== undefined && row.uid !== uid)) return { kind: 'not_found' };
      const merged = Object.fromEntries(Object.entries({ ...row.status, ...status }).filter(([, value]) => value !== null));
      if (isDeepStrictEqual(merged, row.status)) return { kind: 'unchanged', resource: toResource(row) };
      const resource = await this.#one(key, statements.setStatus(key, row, merged));
      return resource && { kind: 'updated', resource };
    });
  }

  async listGenerations(key: ResourceKey, page: { readonly limit: number; readonly before?: number }): Promise<GenerationPage | undefined> {
    const rows = await queryInScope<GenerationRow>(this.dataSource, key, statements.listGenerations(key, page));
    // A name that nothing ever had has no page at all; one that is read to its end has an empty one.
    if (rows.length === 0 && page.before === undefined) return undefined;
    const items = rows.slice(0, page.limit).map(toGeneration);
    return { items, next: rows.length > items.length ? (items.at(-1)?.generation ?? null) : null };
  }

  async getGeneration(key: ResourceKey, generation: number): Promise<ResourceGeneration | undefined> {
    const [row] = await queryInScope<GenerationRow>(this.dataSource, key, statements.getGeneration(key, generation));
    return row && toGeneration(row);
  }

  async #getAll(keys: Batch<ResourceKey>): Promise<readonly (StoredResource | undefined)[]> {
    if (keys.length === 1) return [await this.#one(keys[0], statements.get(keys[0]))];
    const rows = await queryInScope<ResourceRow & { readonly question: number }>(this.dataSource, keys[0], statements.getAll(keys));
    const found = new Map(rows.map((row) => [row.question, toResource(row)]));
    return keys.map((_, question) => found.get(question));
  }

  async #one(key: ResourceKey, statement: statements.ResourceStatement): Promise<StoredResource | undefined> {
    const [row] = await queryInScope<ResourceRow>(this.dataSource, key, statement);
    return row && toResource(row);
  }

  async #inTurns<Outcome>(turn: () => Promise<Outcome | undefined>): Promise<Outcome> {
    for (let turns = 0; turns < maximumTurns; turns += 1) {
      const outcome = await turn();
      if (outcome !== undefined) return outcome;
    }
    throw new StoreUnavailable('contention', 'too many writers change the same resource');
  }
}

const isStill = (resource: StoredResource, expected: Expectation): boolean =>
  resource.uid === expected.uid && resource.revision === expected.revision;

/** As JSON says it: the order of properties means nothing. */
const isSameContent = (left: ResourceContent, right: ResourceContent): boolean => isDeepStrictEqual(asJson(left), asJson(right));

const asJson = ({ labels, annotations, definition }: ResourceContent): unknown =>
  JSON.parse(JSON.stringify({ labels, annotations, definition }));
