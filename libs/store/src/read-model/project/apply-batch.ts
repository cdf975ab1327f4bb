import { createHash } from 'node:crypto';
import type { DataSource, EntityManager } from 'typeorm';
import { transact } from '../transact.ts';
import { tablesOf } from '../tables/generation-tables.ts';
import { lockCheckpoint, moveCheckpoint } from './checkpoint.ts';
import { BatchFold } from './fold-batch.ts';
import type { ProjectedMessage } from './journal-messages.ts';
import { loadRows } from './load-rows.ts';
import { JournalContradiction, PoisonousBatch } from './projection-errors.ts';
import { writeBatch } from './write-batch.ts';

/** Messages on their way into a generation. */
export interface Batch {
  readonly generation: number;
  /** Who projects; the lease decides whether it still may. */
  readonly owner: string;
  /** The Journal's identity. */
  readonly streamCreated: string;
  /** In journal order, without a gap. */
  readonly messages: readonly ProjectedMessage[];
}

/** What identifies a message of the Journal beyond its number. */
export const messageHash = ({ subject, payload }: { subject: string; payload: Uint8Array }): string =>
  createHash('sha256').update(subject).update('\n').update(payload).digest('hex');

/**
 * Applies a batch: its rows and the checkpoint change in one transaction. Messages at or below the checkpoint are
 * dropped, so that a batch may be applied again when nobody knows whether it was. Answers the checkpoint's sequence.
 *
 * @throws LeaseLost when another projector took over; JournalContradiction for a gap or another Journal;
 * PoisonousBatch when a message of it cannot be folded; whatever the database says.
 */
export function applyBatch(dataSource: DataSource, batch: Batch): Promise<number> {
  return transact(dataSource, async (manager) => {
    await bound(manager);
    const checkpoint = await lockCheckpoint(manager, batch);
    if (checkpoint.streamCreated !== null && checkpoint.streamCreated !== batch.streamCreated) {
      throw new JournalContradiction(
        'recreated',
        `it was created ${batch.streamCreated}, the checkpoint names ${checkpoint.streamCreated}`,
      );
    }
    const messages = batch.messages.filter(({ sequence }) => sequence > checkpoint.sequence);
    if (messages.length === 0) return checkpoint.sequence;
    refuseGap(checkpoint.sequence, messages);
    const t = tablesOf(batch.generation);
    const before = await loadRows(manager, t, { messages, keys: { workspaces: checkpoint.workspaces, runs: checkpoint.runs } });
    const fold = foldMessages(new BatchFold(before), messages);
    await writeBatch(manager, t, fold);
    const last = messages.at(-1)!;
    await moveCheckpoint(manager, batch, { sequence: last.sequence, messageHash: messageHash(last), ...before.keys });
    return last.sequence;
  });
}

/**
 * A projector that hangs in a transaction must not keep its standby out. A crash of the database may take the newest rows
 * and their checkpoint with it: the Journal has them. And every lookup of a batch is by key: a planner that has not seen
 * the growing tables yet might think that reading them whole is cheaper.
 */
async function bound(manager: EntityManager): Promise<void> {
  await manager.query(
    `SELECT set_config('idle_in_transaction_session_timeout', '5s', true), set_config('synchronous_commit', 'off', true),
       set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`,
  );
}

function refuseGap(checkpoint: number, messages: readonly ProjectedMessage[]): void {
  messages.forEach(({ sequence }, index) => {
    const expected = checkpoint + 1 + index;
    if (sequence !== expected) throw new JournalContradiction('gap', `message ${expected} is missing: ${sequence} came in its place`);
  });
}

function foldMessages(fold: BatchFold, messages: readonly ProjectedMessage[]): BatchFold {
  try {
    for (const message of messages) fold.add(message);
    return fold;
  } catch (error) {
    throw new PoisonousBatch('a message cannot be folded', { cause: error });
  }
}
