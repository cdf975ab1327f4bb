import type { DataSource } from 'typeorm';

/** Any number: one operator's command at a time makes, compares, switches or drops generations. */
const operatorLock = 4_919_002;

/** Runs `work` while no other command does. The lock goes with its connection, however this process ends. */
export async function withOperatorLock<T>(database: DataSource, work: () => Promise<T>): Promise<T> {
  const runner = database.createQueryRunner();
  try {
    const [row] = (await runner.query('SELECT pg_try_advisory_lock($1) AS taken', [operatorLock])) as [{ taken: boolean }];
    if (!row.taken) throw new Error('Another projector command is at work: wait for it');
    return await work();
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [operatorLock]).catch(() => undefined);
    await runner.release();
  }
}
