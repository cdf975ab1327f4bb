import type { DataSource } from 'typeorm';
import { type Batch, applyBatch } from './apply-batch.ts';
import { isDeterministic, sqlStateOf } from './projection-errors.ts';

/**
 * Applies a batch, poison included: a message that fails whenever it is tried is found by halving the batch, and then
 * applied as the dead letter that it is, in its place and with its numbers. Errors that may pass are thrown as they are.
 *
 * @throws see {@link applyBatch}
 */
export async function projectBatch(dataSource: DataSource, batch: Batch): Promise<number> {
  try {
    return await applyBatch(dataSource, batch);
  } catch (error) {
    if (!isDeterministic(error)) throw error;
    return batch.messages.length === 1 ? projectPoison(dataSource, batch, error) : projectHalves(dataSource, batch);
  }
}

async function projectHalves(dataSource: DataSource, batch: Batch): Promise<number> {
  const middle = batch.messages.length >> 1;
  await projectBatch(dataSource, { ...batch, messages: batch.messages.slice(0, middle) });
  return projectBatch(dataSource, { ...batch, messages: batch.messages.slice(middle) });
}

function projectPoison(dataSource: DataSource, batch: Batch, error: unknown): Promise<number> {
  const reason = `cannot be projected (${sqlStateOf(error) ?? 'not foldable'})`;
  const messages = batch.messages.map((message) => ({ ...message, fact: undefined, reason: message.reason ?? reason }));
  return applyBatch(dataSource, { ...batch, messages });
}
