import type { DataSource } from 'typeorm';
import { StoreFailure } from '../../connection/store-failure.ts';
import { StoreUnavailable } from '../../connection/store-unavailable.ts';
import { activeGeneration } from '../generations.ts';
import { Parameters } from '../project/rows.ts';
import { type TableNames, tablesOf } from '../tables/generation-tables.ts';
import { execute } from '../transact.ts';

/** A query, as the parts of one statement. */
export interface ReadQuery {
  /** Common table expressions, without `WITH`. */
  readonly with: readonly string[];
  readonly columns: string;
  /** Joined to the one row that names generation and position: `LEFT JOIN page ON true`. */
  readonly joins: string;
  readonly orderBy?: string;
}

/** What a query found, all of one moment. */
export interface ReadAnswer<Row> {
  /** The Journal position that the answer reflects. */
  readonly projectedSequence: number;
  /** The Journal's identity; null before its first message. */
  readonly journal: string | null;
  /** At least one; its columns are null where a join found nothing. */
  readonly rows: readonly Row[];
}

/** One row, and the planner is told so: it knows nothing of tables as small as these. */
const position = `position AS MATERIALIZED (
  SELECT a.generation, g.sequence, g.stream_created FROM read_model.active AS a JOIN read_model.generation AS g USING (generation) LIMIT 1)`;

interface Positioned {
  readonly active_generation: number;
  readonly projected_sequence: string;
  readonly stream_created: string | null;
}

/**
 * Reads the active generation. One query is one statement, so that rows and position are of one moment and never of two
 * generations: the statement names the generation that was active, and is repeated when it no longer was the one asked.
 */
export class ReadModelReader {
  #generation: number | undefined;

  constructor(private readonly dataSource: DataSource) {}

  /** @throws StoreUnavailable, also while there is no read model yet */
  async read<Row extends object>(query: (t: TableNames, parameters: Parameters) => ReadQuery): Promise<ReadAnswer<Row>> {
    for (let tries = 0; tries < 5; tries += 1) {
      const generation = (this.#generation ??= await activeGeneration(this.dataSource));
      const answer = generation === undefined ? undefined : await this.#readFrom<Row>(generation, query);
      if (answer) return answer;
      this.#generation = undefined;
    }
    throw new StoreUnavailable('no_generation', 'the read model is being made or switched');
  }

  async #readFrom<Row extends object>(
    generation: number,
    query: (t: TableNames, parameters: Parameters) => ReadQuery,
  ): Promise<ReadAnswer<Row> | undefined> {
    const parameters = new Parameters();
    const parts = query(tablesOf(generation), parameters);
    const text = `WITH ${[position, ...parts.with].join(', ')}
      SELECT position.generation AS active_generation, position.sequence AS projected_sequence, position.stream_created, ${parts.columns}
      FROM position ${parts.joins} ${parts.orderBy ? `ORDER BY ${parts.orderBy}` : ''}`;
    const rows = await this.#execute<(Row & Positioned)[]>(text, parameters.values);
    const [first] = rows;
    if (first?.active_generation !== generation) return undefined;
    return { projectedSequence: Number(first.projected_sequence), journal: first.stream_created, rows };
  }

  /** A generation that was dropped since it was active is no outage. */
  async #execute<Rows>(text: string, values: readonly unknown[]): Promise<Rows | []> {
    try {
      return await execute<Rows>(this.dataSource, text, values);
    } catch (error) {
      if ((error instanceof StoreUnavailable || error instanceof StoreFailure) && error.code === '42P01') return [];
      throw error;
    }
  }
}
