import type { Scope } from '@agentstration/contracts';
import pg from 'pg';
import type { PoolClient } from 'pg';
import { scopeSettings, setScope } from './scope.ts';

/** One statement with `$1`, `$2`, … `name` is unique per text: the database plans it once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

const scopeStatement = 'agentstration_scope';
/** Also has the plan kept of what is prepared: by costs alone the planner makes some of them anew for each page. */
const keptScopeStatement = 'agentstration_scope_kept';
const keepPlan = `set_config('plan_cache_mode', 'force_generic_plan', true)`;
/** Run once per connection, so that {@link runScoped} only has to bind one of them. */
export const prepareScopeStatements: readonly string[] = [
  `PREPARE ${scopeStatement} (text, text) AS SELECT ${setScope}`,
  `PREPARE ${keptScopeStatement} (text, text) AS SELECT ${setScope}, ${keepPlan}`,
];

type Finish = (error: Error | null | undefined, result: { readonly rows: unknown[] }) => void;

/** What `pg` writes to and reads from the wire for one query: its own `Query`, of which the types show only the surface. */
interface WireQuery {
  readonly name: string;
  prepare(connection: Wire): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Wire): void;
  submit(connection: pg.Connection): void;
}
interface Wire {
  bind(message: { statement: string; values: readonly string[] }): void;
  execute(message: object): void;
}
const WireQuery = pg.Query as unknown as new (config: object, values: undefined, finish: Finish) => WireQuery;

/**
 * Sends the scope and the statement between two synchronisation points: one implicit transaction, one round trip. What
 * the scope statement answers comes first and is dropped. (PostgreSQL protocol, section 54.2.3, extended query.)
 */
class ScopedQuery extends WireQuery {
  #inScope = false;

  constructor(
    private readonly settings: readonly string[],
    statement: Statement,
    finish: Finish,
  ) {
    // Always the extended protocol: the simple one, which `pg` takes for a bare text, would skip the scope.
    super({ ...statement, queryMode: 'extended' }, undefined, finish);
  }

  override prepare(connection: Wire): void {
    connection.bind({ statement: this.name === '' ? scopeStatement : keptScopeStatement, values: this.settings });
    connection.execute({});
    super.prepare(connection);
  }

  override handleDataRow(message: unknown): void {
    if (this.#inScope) super.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Wire): void {
    if (this.#inScope) super.handleCommandComplete(message, connection);
    this.#inScope = true;
  }
}

/** Runs one statement in the scope, as a transaction of its own, in one round trip. Rejects with the driver's error. */
export function runScoped(client: PoolClient, scope: Scope, statement: Statement): Promise<unknown[]> {
  const settings = scopeSettings(scope);
  return new Promise((resolve, reject) => {
    client.query(new ScopedQuery(settings, statement, (error, result) => (error ? reject(error) : resolve(result.rows))));
  });
}
