import { ReadModel1764547200010 } from './1764547200010-read-model.ts';

/** The migrations of the read model, in the order of their numbers. */
export const readModelMigrations = [ReadModel1764547200010];
