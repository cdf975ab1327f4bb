import type { AttemptContext, AttemptQuery, AttemptStore } from '@agentstration/governance';
import type { DataSource } from 'typeorm';
import { queryInScope } from '../connection/query-in-scope.ts';
import { type Batch, SharedReads } from '../connection/shared-reads.ts';
import { type ResolutionRow, resolutionStatement } from './resolution-statement.ts';

import { toAttemptContext } from './to-attempt-context.ts';

/**
 * Reads what governs an attempt, in one round trip and one snapshot that starts after the attempt asked. Attempts of a
 * Workspace that ask while a query of it is under way share the next one. Rejects with `StoreUnavailable` or `InvalidRow`.
 */
export class PostgresAttemptStore implements AttemptStore {
  readonly #shared = new SharedReads((queries: Batch<AttemptQuery>) => this.#resolveAll(queries), { queries: 4, questions: 8 });

  constructor(private readonly dataSource: DataSource) {}

  async resolve(query: AttemptQuery): Promise<AttemptContext> {
    return toAttemptContext(query, await this.#shared.ask(query));
  }

  async #resolveAll(queries: Batch<AttemptQuery>): Promise<readonly ResolutionRow[]> {
    const rows = await queryInScope<ResolutionRow>(this.dataSource, queries[0], resolutionStatement(queries[0], queries));
    return rows.sort((left, right) => left.query - right.query);
  }
}
