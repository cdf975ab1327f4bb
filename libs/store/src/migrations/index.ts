import { readModelMigrations } from '../read-model/migrations/index.ts';
import { Resources1764547200001 } from './1764547200001-resources.ts';
import { RunsAndOutbox1764547200002 } from './1764547200002-runs-and-outbox.ts';

/** Every migration, in the order of its number. A new one is a new file and a new line here. */
export const migrations = [Resources1764547200001, RunsAndOutbox1764547200002, ...readModelMigrations];
