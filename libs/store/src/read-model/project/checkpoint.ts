import type { DataSource, EntityManager } from 'typeorm';
import { execute, transact } from '../transact.ts';
import { LeaseLost } from './projection-errors.ts';

/** How far a generation has come. */
export interface Checkpoint {
  readonly generation: number;
  readonly format: number;
  /** The Journal's identity; null before the first message. */
  readonly streamCreated: string | null;
  readonly sequence: number;
  /** Of the message at `sequence`; null before the first. */
  readonly messageHash: string | null;
  /** How many keys were given out. */
  readonly workspaces: number;
  readonly runs: number;
  /** The newest removal that was applied. */
  readonly lastRemoval: number;
}

const columns = `generation, format, stream_created, sequence, encode(message_hash, 'hex') AS message_hash, workspaces, runs, last_removal`;

interface StoredCheckpoint {
  generation: number;
  format: number;
  stream_created: string | null;
  sequence: string;
  message_hash: string | null;
  workspaces: number;
  runs: string;
  last_removal: string;
}

const toCheckpoint = (row: StoredCheckpoint): Checkpoint => ({
  generation: row.generation,
  format: row.format,
  streamCreated: row.stream_created,
  sequence: Number(row.sequence),
  messageHash: row.message_hash,
  workspaces: row.workspaces,
  runs: Number(row.runs),
  lastRemoval: Number(row.last_removal),
});

/** The checkpoint as it is now; undefined when there is no such generation. */
export async function readCheckpoint(dataSource: DataSource, generation: number): Promise<Checkpoint | undefined> {
  const text = `SELECT ${columns} FROM read_model.generation WHERE generation = $1`;
  const [row] = await execute<StoredCheckpoint[]>(dataSource, text, [generation]);
  return row && toCheckpoint(row);
}

/** Locks the checkpoint for this transaction, for the one who holds the lease. */
export async function lockCheckpoint(
  manager: EntityManager,
  { generation, owner }: { readonly generation: number; readonly owner: string },
): Promise<Checkpoint> {
  const [row] = await manager.query<(StoredCheckpoint & { owner: string | null })[]>(
    `SELECT ${columns}, owner FROM read_model.generation WHERE generation = $1 FOR NO KEY UPDATE`,
    [generation],
  );
  if (row?.owner !== owner) throw new LeaseLost(generation);
  return toCheckpoint(row);
}

/** Moves the locked checkpoint, and renews the lease with it. */
export async function moveCheckpoint(
  manager: EntityManager,
  { generation, streamCreated }: { readonly generation: number; readonly streamCreated: string },
  to: Pick<Checkpoint, 'sequence' | 'workspaces' | 'runs'> & { readonly messageHash: string },
): Promise<void> {
  await manager.query(
    `UPDATE read_model.generation SET stream_created = $2, sequence = $3, message_hash = decode($4, 'hex'), workspaces = $5, runs = $6,
       lease_until = clock_timestamp() + ${leaseInterval} WHERE generation = $1`,
    [generation, streamCreated, to.sequence, to.messageHash, to.workspaces, to.runs],
  );
}

/** A projector that says nothing for so long is taken for dead. A standby asks every second: 8 s at most until it goes on. */
const leaseInterval = `interval '6 seconds'`;
export const leaseRenewalMs = 2000;
export const standbyRetryMs = 1000;

/** Takes or renews the right to project a generation; false while another has it. */
export async function takeLease(
  dataSource: DataSource,
  { generation, owner }: { readonly generation: number; readonly owner: string },
): Promise<boolean> {
  return transact(dataSource, async (manager) => {
    await manager.query(`SELECT set_config('lock_timeout', '5s', true)`);
    const [, taken] = await manager.query<[unknown, number]>(
      `UPDATE read_model.generation SET owner = $2, lease_until = clock_timestamp() + ${leaseInterval}
       WHERE generation = $1 AND (owner IS NULL OR owner = $2 OR lease_until < clock_timestamp())`,
      [generation, owner],
    );
    return taken === 1;
  });
}

/** Gives the lease back, so that a standby need not wait for its end. */
export async function releaseLease(
  dataSource: DataSource,
  { generation, owner }: { readonly generation: number; readonly owner: string },
): Promise<void> {
  const text = `UPDATE read_model.generation SET owner = NULL, lease_until = NULL WHERE generation = $1 AND owner = $2`;
  await execute(dataSource, text, [generation, owner]);
}
