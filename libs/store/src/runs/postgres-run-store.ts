import type { DataSource } from 'typeorm';
import type { CancelRunOutcome, CreateRunOutcome, RunPage, RunStore, StoredRun } from './run-store.ts';

export class PostgresRunStore implements RunStore {
  constructor(private readonly dataSource: DataSource) {}

  create(): Promise<CreateRunOutcome> {
    return this.notYet();
  }
  get(): Promise<StoredRun | undefined> {
    return this.notYet();
  }
  list(): Promise<RunPage> {
    return this.notYet();
  }
  cancel(): Promise<CancelRunOutcome> {
    return this.notYet();
  }
  private notYet(): Promise<never> {
    void this.dataSource;
    return Promise.reject(new Error('not built yet'));
  }
}
