import type { DataSource, EntityManager } from 'typeorm';
import { type Generation, inGenerations } from '../generations.ts';
import { execute, transact } from '../transact.ts';

/** Brings the other generation to exactly this sequence. */
export type BringTo = (sequence: number) => Promise<void>;

/**
 * Holds the projection of `live` for a moment, has another generation brought to the same position, and runs `work` on
 * what a transaction sees of that moment, while the projection of `live` already goes on.
 */
export async function atSamePosition<T>(
  dataSource: DataSource,
  { live, bringTo }: { readonly live: number; readonly bringTo: BringTo },
  work: (manager: EntityManager, sequence: number) => Promise<T>,
): Promise<T> {
  const held = await holdCheckpoint(dataSource, live);
  try {
    await bringTo(held.sequence);
    return await transact(dataSource, async (manager) => {
      await manager.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await manager.query('SELECT 1 FROM read_model.active');
      await held.release();
      return work(manager, held.sequence);
    });
  } finally {
    await held.release();
  }
}

interface Held {
  readonly sequence: number;
  release(): Promise<void>;
}

/** Locks the checkpoint of a generation in a transaction of its own, until released. */
async function holdCheckpoint(dataSource: DataSource, generation: number): Promise<Held> {
  await execute(dataSource, 'SELECT 1');
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    await runner.query(`SELECT set_config('idle_in_transaction_session_timeout', '60s', true)`);
    const [row] = (await runner.query('SELECT sequence FROM read_model.generation WHERE generation = $1 FOR UPDATE', [generation])) as [
      { sequence: string } | undefined,
    ];
    if (!row) throw new Error(`There is no generation ${generation}`);
    return {
      sequence: Number(row.sequence),
      release: async () => {
        if (runner.isReleased) return;
        if (runner.isTransactionActive) await runner.rollbackTransaction();
        await runner.release();
      },
    };
  } catch (error) {
    await runner.release();
    throw error;
  }
}

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
      'SELECT format, sequence FROM read_model.generation WHERE generation = $1 FOR UPDATE',
      [to.generation],
    );
    if (!row) throw new Error(`There is no generation ${to.generation}`);
    if (row.format !== to.format)
      throw new Error(`Generation ${to.generation} is of format ${row.format}, this version reads ${to.format}`);
    if (Number(row.sequence) < to.sequence) throw new Error(`Generation ${to.generation} has reached ${row.sequence}, not ${to.sequence}`);
    await manager.query('UPDATE read_model.active SET previous = generation, generation = $1 WHERE generation <> $1', [to.generation]);
  });
