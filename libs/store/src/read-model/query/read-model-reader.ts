import { createHash } from 'node:crypto';
import type { Scope } from '@agentstration/contracts';
import type { DataSource } from 'typeorm';
import { type OnCopiedRow, copyInScope } from '../../connection/copy-in-scope.ts';
import { queryInScope } from '../../connection/query-in-scope.ts';
import type { Statement } from '../../connection/scoped-query.ts';
import { type Batch, SharedReads } from '../../connection/shared-reads.ts';
import { StoreFailure } from '../../connection/store-failure.ts';
import { StoreUnavailable } from '../../connection/store-unavailable.ts';
import { describeFormat } from '../generations.ts';
import { Literals, Parameters } from '../project/rows.ts';
import { type TableNames, readModelFormat, tablesOf } from '../tables/generation-tables.ts';
import { execute } from '../transact.ts';

/** A query, as the parts of one statement. */
export interface ReadQuery {
  /** Common table expressions, without `WITH`. */
  readonly with: readonly string[];
  readonly columns: string;
  /** Joined to the one row that names generation and position: `LEFT JOIN page ON true`. */
  readonly joins: string;
  readonly orderBy?: string;
  /** Whether it is asked again and again in the same words: then each connection plans it once. */
  readonly prepared?: boolean;
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
 * Columns of a row with U+0002 between them and a line feed at the end, and nothing quoted: whoever copies takes care that
 * no value holds a control character, as JSON text and numbers do not (RFC 8259, section 7).
 */
const copyFormat = `FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01', ESCAPE E'\\x01'`;
export const columnSeparator = 0x02;

/** The same statement of the same Workspace, however many ask: as an incident makes everybody look at one page. */
interface Asked extends Scope {
  readonly statement: Statement;
}
const sharing = { queries: 1, questions: Infinity };
const lineOf = ({ tenantId, workspaceId, statement: { name, text, values } }: Asked): string =>
  `${tenantId}/${workspaceId}\0${JSON.stringify(values)}\0${name || text}`;

/** As many statements as a connection keeps plans of; more are planned anew each time. */
const maximumPrepared = 64;

/**
 * Reads the active generation for one Workspace, behind the wall of row level security. One query is one statement, so that
 * rows and position are of one moment and never of two generations: the statement names the generation that was active,
 * and is repeated when it no longer was the one asked. Who asks the same while a query is under way shares the next one,
 * which starts after all of them: no answer is older than its question.
 */
export class ReadModelReader {
  #generation: number | undefined;
  #names = new Map<string, string>();
  readonly #shared = new SharedReads((asked: Batch<Asked>) => this.#askOnce(asked), sharing, lineOf);

  /** @param dataSource of the role `reader` or `api` */
  constructor(
    private readonly dataSource: DataSource,
    private readonly ask: typeof queryInScope = queryInScope,
  ) {}

  /** @throws StoreUnavailable, also while there is no read model yet, or one of another format */
  async read<Row extends object>(scope: Scope, query: (t: TableNames, parameters: Parameters) => ReadQuery): Promise<ReadAnswer<Row>> {
    return this.#onActive((generation) => this.#readFrom<Row>({ scope, generation }, query));
  }

  /** Tries again on the generation that is active then, when this one no longer is. */
  async #onActive<Answer>(ask: (generation: number) => Promise<Answer | undefined>): Promise<Answer> {
    for (let tries = 0; tries < 5; tries += 1) {
      const answer = await ask((this.#generation ??= await this.#readable()));
      if (answer) return answer;
      this.#generation = undefined;
      this.#names.clear();
    }
    throw noGeneration();
  }

  /**
   * Copies rows out of the active generation, as the bytes that the database writes. A copy is done anew when the generation
   * turns out to be gone: `collect` makes what takes the rows of one try.
   *
   * @throws StoreUnavailable like {@link read}
   */
  copy<Copied extends { readonly onRow: OnCopiedRow }>(
    scope: Scope,
    query: (t: TableNames, literals: Literals) => string,
    collect: () => Copied,
  ): Promise<Copied> {
    return this.#onActive((generation) => {
      const text = `COPY (${query(tablesOf(generation), new Literals())}) TO STDOUT (${copyFormat})`;
      const copied = collect();
      return orDropped(copyInScope(this.dataSource, scope, { text, onRow: copied.onRow }).then(() => copied));
    });
  }

  /** How far the read model has come, for everyone. @throws StoreUnavailable like {@link read} */
  async position(): Promise<number> {
    const { sequence } = await this.#active();
    return Number(sequence);
  }

  async #readable(): Promise<number> {
    return (await this.#active()).generation;
  }

  async #active(): Promise<Active> {
    const [active] = await execute<Active[]>(
      this.dataSource,
      'SELECT g.generation, g.format, g.sequence FROM read_model.active JOIN read_model.generation AS g USING (generation)',
    );
    if (!active) throw noGeneration();
    if (active.format !== readModelFormat) throw outdated(active.format);
    return active;
  }

  async #readFrom<Row extends object>(
    { scope, generation }: { readonly scope: Scope; readonly generation: number },
    query: (t: TableNames, parameters: Parameters) => ReadQuery,
  ): Promise<ReadAnswer<Row> | undefined> {
    const parameters = new Parameters();
    const parts = query(tablesOf(generation), parameters);
    const text = `WITH ${[position, ...parts.with].join(', ')}
      SELECT position.generation AS active_generation, position.sequence AS projected_sequence, position.stream_created, ${parts.columns}
      FROM position ${parts.joins} ${parts.orderBy ? `ORDER BY ${parts.orderBy}` : ''}`;
    const name = parts.prepared ? this.#nameOf(text) : '';
    const { tenantId, workspaceId } = scope;
    const asked = { tenantId, workspaceId, statement: { name, text, values: parameters.values } };
    const rows = (await orDropped(this.#shared.ask(asked))) as readonly (Row & Positioned)[] | undefined;
    const first = rows?.[0];
    if (!rows || first?.active_generation !== generation) return undefined;
    return { projectedSequence: Number(first.projected_sequence), journal: first.stream_created, rows };
  }

  /** All of a batch ask the same. */
  async #askOnce(asked: Batch<Asked>): Promise<readonly (readonly object[])[]> {
    const [{ tenantId, workspaceId, statement }] = asked;
    const rows = await this.ask<object>(this.dataSource, { tenantId, workspaceId }, statement);
    return asked.map(() => rows);
  }

  /** Empty for a statement that is not kept. A name stands for one text, whoever uses the connection. */
  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= maximumPrepared) return known ?? '';
    const name = `read_${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
    this.#names.set(text, name);
    return name;
  }
}

interface Active {
  readonly generation: number;
  readonly format: number;
  readonly sequence: string;
}

const noGeneration = (): StoreUnavailable => new StoreUnavailable('no_generation', 'the read model is being made or switched');
const outdated = (format: number): StoreUnavailable => new StoreUnavailable('outdated', describeFormat(format));

/** A generation that was dropped since it was active is no outage. */
async function orDropped<Answer>(reading: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await reading;
  } catch (error) {
    if ((error instanceof StoreUnavailable || error instanceof StoreFailure) && error.code === '42P01') return undefined;
    throw error;
  }
}
