import type { Scope } from '@agentstration/contracts';
import type { DataSource } from 'typeorm';
import { borrowClient } from './borrow-client.ts';
import { type Statement, runScoped } from './scoped-query.ts';

/**
 * One statement in one Workspace, as a transaction of its own in one round trip: what `inScope` does in four.
 *
 * @throws StoreUnavailable; nothing is known about a write then
 */
export const queryInScope = <Row>(dataSource: DataSource, scope: Scope, statement: Statement): Promise<Row[]> =>
  borrowClient(dataSource, (client) => runScoped(client, scope, statement) as Promise<Row[]>);
