import type { DataSource, EntityManager } from 'typeorm';
import { execute, transact } from './transact.ts';
import { createIndexes, createTables, readModelFormat, tablesOf } from './tables/generation-tables.ts';
import { wallAround } from './tables/workspace-wall.ts';

/** One complete set of tables, and what it is for. */
export interface Generation {
  readonly generation: number;
  readonly format: number;
  readonly sequence: number;
  readonly createdAt: string;
  /** `active` answers the readers; `previous` was active before it. */
  readonly role: 'active' | 'previous' | 'other';
}

/** Any number: whoever makes, switches or drops generations holds this lock. */
const generationsLock = 4_919_001;

/** Makes the first generation where there is none, and answers the active one. Idempotent, and safe at once from several processes. */
export async function ensureGeneration(dataSource: DataSource): Promise<number> {
  return inGenerations(dataSource, async (manager) => {
    const active = await activeIn(manager);
    if (active !== undefined) return active;
    const generation = await insertGeneration(manager);
    for (const statement of [...tablesAndWall(generation), ...createIndexes(generation)]) await manager.query(statement);
    await manager.query('INSERT INTO read_model.active (generation) VALUES ($1)', [generation]);
    return generation;
  });
}

/**
 * Makes an empty generation beside the others and answers its number. It can be projected into; before it answers readers
 * it needs {@link indexGeneration}, which is much faster on full tables.
 */
export const createGeneration = (dataSource: DataSource): Promise<number> =>
  inGenerations(dataSource, async (manager) => {
    const generation = await insertGeneration(manager);
    for (const statement of tablesAndWall(generation)) await manager.query(statement);
    return generation;
  });

/** Makes the indexes of a generation and tells the planner what is in its tables. */
export async function indexGeneration(dataSource: DataSource, generation: number): Promise<void> {
  for (const statement of createIndexes(generation)) await execute(dataSource, statement);
  await execute(dataSource, `ANALYZE ${Object.values(tablesOf(generation)).join(', ')}`);
}

const selectActive = 'SELECT generation FROM read_model.active';
type Active = { generation: number };

/** The generation that answers readers; undefined before {@link ensureGeneration}. */
export async function activeGeneration(dataSource: DataSource): Promise<number | undefined> {
  const [row] = await execute<Active[]>(dataSource, selectActive);
  return row?.generation;
}

async function activeIn(manager: EntityManager): Promise<number | undefined> {
  const [row] = await manager.query<Active[]>(selectActive);
  return row?.generation;
}

export async function listGenerations(dataSource: DataSource): Promise<Generation[]> {
  type Row = Omit<Generation, 'sequence' | 'createdAt'> & { readonly sequence: string; readonly createdAt: Date };
  const rows = await execute<Row[]>(
    dataSource,
    `SELECT g.generation, g.format, g.sequence, g.created_at AS "createdAt",
       CASE g.generation WHEN a.generation THEN 'active' WHEN a.previous THEN 'previous' ELSE 'other' END AS role
     FROM read_model.generation AS g CROSS JOIN read_model.active AS a ORDER BY g.generation`,
  );
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence), createdAt: row.createdAt.toISOString() }));
}

/** What to say of a generation that this version of the product can neither read nor write. */
export const describeFormat = (format: number): string =>
  `the read model is of format ${format}, this version knows ${readModelFormat}: run the command \`projector rebuild\``;

/** @throws Error with what to do, where the active generation is of another format or there is none */
export async function requireKnownFormat(dataSource: DataSource): Promise<void> {
  const active = (await listGenerations(dataSource)).find(({ role }) => role === 'active');
  if (!active) throw new Error('There is no read model yet: start the projector first');
  if (active.format !== readModelFormat) throw new Error(describeFormat(active.format));
}

/** Removes a generation that is not active. Readers that were on it start again on the active one. */
export const dropGeneration = (dataSource: DataSource, generation: number): Promise<void> =>
  inGenerations(dataSource, async (manager) => {
    if ((await activeIn(manager)) === generation) throw new Error(`Generation ${generation} is active: switch to another first`);
    const tables = await tablesOfAnyFormat(manager, generation);
    if (tables.length > 0) await manager.query(`DROP TABLE ${tables.join(', ')}`);
    await manager.query('UPDATE read_model.active SET previous = NULL WHERE previous = $1', [generation]);
    await manager.query('DELETE FROM read_model.generation WHERE generation = $1', [generation]);
  });

const tablesAndWall = (generation: number): string[] => [...createTables(generation), ...wallAround(tablesOf(generation))];

/** By their names: another version may have made others than this one does. */
async function tablesOfAnyFormat(manager: EntityManager, generation: number): Promise<string[]> {
  const found = await manager.query<{ name: string }[]>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'read_model' AND tablename ~ ('^[a-z_]+_' || $1::text || '$')`,
    [generation],
  );
  return found.map(({ name }) => name);
}

async function insertGeneration(manager: EntityManager): Promise<number> {
  const [made] = await manager.query<[{ generation: number }]>(
    `INSERT INTO read_model.generation (generation, format)
     SELECT coalesce(max(generation), 0) + 1, $1 FROM read_model.generation RETURNING generation`,
    [readModelFormat],
  );
  return made.generation;
}

export const inGenerations = <T>(dataSource: DataSource, work: (manager: EntityManager) => Promise<T>): Promise<T> =>
  transact(dataSource, async (manager) => {
    await manager.query('SELECT pg_advisory_xact_lock($1)', [generationsLock]);
    return work(manager);
  });
