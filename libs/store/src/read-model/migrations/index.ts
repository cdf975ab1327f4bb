import { ReadModel1764547200010 } from './1764547200010-read-model.ts';
import { ReadModelReader1764547200011 } from './1764547200011-read-model-reader.ts';

/** The migrations of the read model, in the order of their numbers. */
export const readModelMigrations = [ReadModel1764547200010, ReadModelReader1764547200011];
