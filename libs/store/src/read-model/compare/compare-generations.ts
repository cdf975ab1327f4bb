import type { EntityManager } from 'typeorm';
import { type GenerationTable, generationTables, tablesOf } from '../tables/generation-tables.ts';

/** What two generations do not have alike in one table. */
export interface TableDifference {
  readonly table: GenerationTable;
  /** How many rows differ or are missing in the ranges that were looked into. */
  readonly rows: number;
  /** Ranges of keys that differ, too, and were not looked into. */
  readonly furtherRanges: number;
  /** The keys of the first of them, as text for an operator: never a value beyond the key. */
  readonly examples: readonly string[];
}

interface Ranged {
  readonly column: string;
  /** How many keys are in one range, which is compared by its digest. */
  readonly size: number;
}
const one = (column: string): Ranged => ({ column, size: 1 });
const many = (column: string, size = 4096): Ranged => ({ column, size });

/** What names a row of each table, and the ranges that its digests are made of. */
const tables: Record<GenerationTable, { readonly key: readonly string[]; readonly ranges: readonly Ranged[] }> = {
  workspace: { key: ['workspace_key'], ranges: [many('workspace_key')] },
  run: { key: ['run_key'], ranges: [many('run_key')] },
  message: { key: ['journal_sequence'], ranges: [many('journal_sequence')] },
  attempt: { key: ['run_key', 'tool_call_id', 'ordinal'], ranges: [many('run_key', 128)] },
  record: { key: ['workspace_key', 'workspace_sequence'], ranges: [one('workspace_key'), many('workspace_sequence')] },
  record_outcome: { key: ['workspace_key', 'workspace_sequence'], ranges: [one('workspace_key'), many('workspace_sequence')] },
  evaluation: { key: ['workspace_key', 'workspace_sequence', 'position'], ranges: [one('workspace_key'), many('workspace_sequence')] },
  hour: { key: ['workspace_key', 'hour'], ranges: [one('workspace_key')] },
  dead_letter: { key: ['journal_sequence'], ranges: [many('journal_sequence')] },
};

const maximumRanges = 20;
const maximumExamples = 10;

/**
 * Compares two generations row for row, whatever is in a row: by a digest of each range of keys first, so that no table is
 * sorted or joined whole, and then by the rows of the ranges that differ. Both must be at the same position: call it in a
 * transaction that sees them so.
 */
export async function compareGenerations(
  manager: EntityManager,
  [left, right]: readonly [number, number],
  onTable: (table: GenerationTable) => void = () => undefined,
): Promise<TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const table of generationTables) {
    onTable(table);
    const difference = await compareTable(manager, table, [tablesOf(left)[table], tablesOf(right)[table]]);
    if (difference) differences.push(difference);
  }
  return differences;
}

type Names = readonly [left: string, right: string];

async function compareTable(manager: EntityManager, table: GenerationTable, names: Names): Promise<TableDifference | undefined> {
  const ranges = await differingRanges(manager, table, names);
  if (ranges.length === 0) return undefined;
  const rows: string[] = [];
  for (const range of ranges.slice(0, maximumRanges)) rows.push(...(await differingRows(manager, table, { names, range })));
  const furtherRanges = Math.max(0, ranges.length - maximumRanges);
  return { table, rows: rows.length, furtherRanges, examples: rows.slice(0, maximumExamples) };
}

async function differingRanges(manager: EntityManager, table: GenerationTable, [left, right]: Names): Promise<string[][]> {
  const { ranges } = tables[table];
  const parts = ranges.map((_, index) => `r${index}`);
  const digests = (name: string): string =>
    `SELECT ${ranges.map(({ column, size }, index) => `${column} / ${size} AS r${index}`).join(', ')}, count(*) AS n,
       sum(hash_record_extended(t, 0)::numeric) AS digest FROM ${name} AS t GROUP BY ${parts.join(', ')}`;
  const found = await manager.query<Record<string, string | number>[]>(
    `SELECT ${parts.join(', ')} FROM (${digests(left)}) AS a FULL JOIN (${digests(right)}) AS b USING (${parts.join(', ')})
     WHERE a.n IS DISTINCT FROM b.n OR a.digest IS DISTINCT FROM b.digest ORDER BY ${parts.join(', ')}`,
  );
  return found.map((row) => parts.map((part) => String(row[part])));
}

async function differingRows(
  manager: EntityManager,
  table: GenerationTable,
  { names: [left, right], range }: { readonly names: Names; readonly range: readonly string[] },
): Promise<string[]> {
  const { key, ranges } = tables[table];
  const within = ranges.map(({ column, size }, index) => {
    const first = `$${index + 1}::bigint * ${size}`;
    return `${column} >= ${first} AND ${column} < ${first} + ${size}`;
  });
  const rows = (name: string): string => `SELECT * FROM ${name} WHERE ${within.join(' AND ')}`;
  const found = await manager.query<Record<string, string | number>[]>(
    `SELECT DISTINCT ${key.join(', ')} FROM (
       (${rows(left)} EXCEPT ALL ${rows(right)}) UNION ALL (${rows(right)} EXCEPT ALL ${rows(left)})) AS d ORDER BY ${key.join(', ')}`,
    [...range],
  );
  return found.map((row) => key.map((part) => `${part}=${row[part]}`).join(' '));
}
