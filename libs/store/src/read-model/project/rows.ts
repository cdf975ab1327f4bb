import type { EntityManager } from 'typeorm';
import { toLiteral } from '../../connection/copy-in-scope.ts';

/** A column of a bulk statement: its name and its PostgreSQL type. */
export type Column<Row> = readonly [name: keyof Row & string, type: ColumnType];
type ColumnType = 'integer' | 'bigint' | 'smallint' | 'boolean' | 'text';
type Value = string | number | boolean | null;

/** Parameters of one statement, numbered as they are added. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value and answers its placeholder. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** The same where a statement takes none: values stand in its text. */
export class Literals extends Parameters {
  override add(value: unknown): string {
    return toLiteral(value);
  }
}

/** `unnest($1::bigint[], …) AS alias (…)`: rows as one array per column, so that their number is not bounded by parameters. */
export function rowsAsTable<Row extends object>(rows: readonly Row[], columns: readonly Column<Row>[], to: Parameters): string {
  const arrays = columns.map(([name, type]) => `${to.add(toArrayLiteral(rows.map((row) => row[name] as Value)))}::${type}[]`);
  return `unnest(${arrays.join(', ')})`;
}

/** `a, b, c` */
export const namesOf = <Row>(columns: readonly Column<Row>[]): string => columns.map(([name]) => name).join(', ');

/** Inserts all rows with one statement; none is no statement. */
export async function insertRows<Row extends object>(
  manager: EntityManager,
  table: string,
  { rows, columns }: { readonly rows: readonly Row[]; readonly columns: readonly Column<Row>[] },
): Promise<void> {
  if (rows.length === 0) return;
  const parameters = new Parameters();
  await manager.query(
    `INSERT INTO ${table} (${namesOf(columns)}) SELECT * FROM ${rowsAsTable(rows, columns, parameters)}`,
    parameters.values,
  );
}

/** Updates the columns after the first `keys` ones of rows that exist, all with one statement. */
export async function updateRows<Row extends object>(
  manager: EntityManager,
  table: string,
  {
    rows,
    keys,
    columns,
  }: { readonly rows: readonly Row[]; readonly keys: readonly Column<Row>[]; readonly columns: readonly Column<Row>[] },
): Promise<void> {
  if (rows.length === 0) return;
  const parameters = new Parameters();
  const source = rowsAsTable(rows, [...keys, ...columns], parameters);
  await manager.query(
    `UPDATE ${table} AS t SET ${columns.map(([name]) => `${name} = s.${name}`).join(', ')}
     FROM ${source} AS s (${namesOf([...keys, ...columns])}) WHERE ${keys.map(([name]) => `t.${name} = s.${name}`).join(' AND ')}`,
    parameters.values,
  );
}

/** An array in PostgreSQL's text form. The driver's own is several times slower, and this is the hot path. */
function toArrayLiteral(values: readonly Value[]): string {
  return `{${values.map(toElement).join(',')}}`;
}

function toElement(value: Value): string {
  if (typeof value === 'string') return special.test(value) ? `"${value.replace(/[\\"]/g, '\\$&')}"` : `"${value}"`;
  return value === null ? 'NULL' : String(value);
}
const special = /[\\"]/;
