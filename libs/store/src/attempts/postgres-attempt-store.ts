import type { AttemptContext, AttemptQuery, AttemptStore } from '@agentstration/governance';
import type { DataSource } from 'typeorm';
import { queryInScope } from '../connection/query-in-scope.ts';
import { type ResolutionRow, resolutionStatement } from './resolution-statement.ts';
import { type Batch, SharedResolution } from './shared-resolution.ts';
import { toAttemptContext } from './to-attempt-context.ts';

/**
 * Reads what governs an attempt, in one round trip and one snapshot that starts after the attempt asked. Attempts of a
 * Workspace that ask while a query of it is under way share the next one. Rejects with `StoreUnavailable` or `InvalidRow`.
 */
export class PostgresAttemptStore implements AttemptStore {
  readonly #shared = new SharedResolution((queries) => this.#resolveAll(queries));

  constructor(private readonly dataSource: DataSource) {}

  async resolve(query: AttemptQuery): Promise<AttemptContext> {
    return toAttemptContext(query, await this.#shared.resolve(query));
  }

  async #resolveAll(queries: Batch): Promise<readonly ResolutionRow[]> {
    const rows = await queryInScope<ResolutionRow>(this.dataSource, queries[0], resolutionStatement(queries[0], queries));
    return rows.sort((left, right) => left.query - right.query);
  }
}
