import type { DataSource, EntityManager } from 'typeorm';
import { execute, transact } from '../transact.ts';

/** A projection that stands still at this sequence until it is released. */
export interface HeldProjection {
  readonly sequence: number;
  release(): Promise<void>;
}

/** Holds the projection of a generation for a moment. Whoever holds it must be quick: readers go on, facts wait. */
export async function holdProjection<T>(
  dataSource: DataSource,
  generation: number,
  work: (held: HeldProjection) => Promise<T>,
): Promise<T> {
  const held = await lockProjection(dataSource, generation);
  try {
    return await work(held);
  } finally {
    await held.release();
  }
}

/**
 * Runs `work` in a transaction that sees what is there at this moment, and releases the held projection as soon as the
 * transaction has seen it: however long `work` takes, the projection goes on.
 */
export const seeThenRelease = <T>(dataSource: DataSource, held: HeldProjection, work: (manager: EntityManager) => Promise<T>): Promise<T> =>
  transact(dataSource, async (manager) => {
    await manager.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await manager.query('SELECT 1 FROM read_model.active');
    await held.release();
    return work(manager);
  });

/** Locks the checkpoint in a transaction of its own; other rows may go on referring to the generation. */
async function lockProjection(dataSource: DataSource, generation: number): Promise<HeldProjection> {
  await execute(dataSource, 'SELECT 1');
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    await runner.query(`SELECT set_config('idle_in_transaction_session_timeout', '60s', true)`);
    const [row] = (await runner.query('SELECT sequence FROM read_model.generation WHERE generation = $1 FOR NO KEY UPDATE', [
      generation,
    ])) as [{ sequence: string } | undefined];
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
