import type { DataSource } from 'typeorm';
import type {
  CreateOutcome,
  DeleteOutcome,
  GenerationPage,
  ReplaceOutcome,
  ResourceGeneration,
  ResourcePage,
  ResourceStore,
  StatusOutcome,
  StoredResource,
} from './resource-store.ts';

export class PostgresResourceStore implements ResourceStore {
  constructor(private readonly dataSource: DataSource) {}

  create(): Promise<CreateOutcome> {
    return this.notYet();
  }
  get(): Promise<StoredResource | undefined> {
    return this.notYet();
  }
  list(): Promise<ResourcePage> {
    return this.notYet();
  }
  replace(): Promise<ReplaceOutcome> {
    return this.notYet();
  }
  delete(): Promise<DeleteOutcome> {
    return this.notYet();
  }
  setStatus(): Promise<StatusOutcome> {
    return this.notYet();
  }
  listGenerations(): Promise<GenerationPage | undefined> {
    return this.notYet();
  }
  getGeneration(): Promise<ResourceGeneration | undefined> {
    return this.notYet();
  }
  private notYet(): Promise<never> {
    void this.dataSource;
    return Promise.reject(new Error('not built yet'));
  }
}
