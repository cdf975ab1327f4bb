import type { DataSource } from 'typeorm';
import { type Generation, inGenerations } from '../generations.ts';

/**
 * Makes another generation the one that answers, in one transaction: readers see either the one or the other.
 *
 * @param sequence the position that the new one must have reached, so that no answer goes back in time
 */
export const switchGeneration = (
  dataSource: DataSource,
  to: Pick<Generation, 'generation' | 'format'> & { readonly sequence: number },
): Promise<void> =>
  inGenerations(dataSource, async (manager) => {
    const [row] = await manager.query<{ format: number; sequence: string }[]>(
      'SELECT format, sequence FROM read_model.generation WHERE generation = $1 FOR NO KEY UPDATE',
      [to.generation],
    );
    if (!row) throw new Error(`There is no generation ${to.generation}`);
    if (row.format !== to.format)
      throw new Error(`Generation ${to.generation} is of format ${row.format}, this version reads ${to.format}`);
    if (Number(row.sequence) < to.sequence) throw new Error(`Generation ${to.generation} has reached ${row.sequence}, not ${to.sequence}`);
    await manager.query('UPDATE read_model.active SET previous = generation, generation = $1 WHERE generation <> $1', [to.generation]);
  });
