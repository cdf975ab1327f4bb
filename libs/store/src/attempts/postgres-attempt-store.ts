import type { AttemptContext, AttemptQuery, AttemptStore } from '@agentstration/governance';
import type { DataSource } from 'typeorm';

/** Reads what governs an attempt in one round trip and one snapshot. Rejects with `StoreUnavailable` or `InvalidRow`. */
export class PostgresAttemptStore implements AttemptStore {
  constructor(private readonly dataSource: DataSource) {}

  resolve(_query: AttemptQuery): Promise<AttemptContext> {
    void this.dataSource;
    return Promise.reject(new Error('not built yet'));
  }
}
