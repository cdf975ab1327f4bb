import type { Socket } from 'node:net';
import type { ClientBase } from 'pg';

/** What the types of `pg` leave out. */
interface Connected {
  /** Whether no statement is under way. */
  readonly readyForQuery: boolean;
  readonly connection: { readonly stream: Socket };
}

/**
 * Ends a connection on which the server has said nothing for so long although a statement waits for it: the statement fails
 * as it does when a connection breaks. The socket has one timer for all of them; `query_timeout` of the driver makes one for
 * each statement, which keeps its rows from being collected with what is young.
 */
export function endWhenSilent(client: ClientBase, milliseconds: number): void {
  const connected = client as unknown as Connected;
  const { stream } = connected.connection;
  stream.setTimeout(milliseconds, () => {
    if (!connected.readyForQuery) stream.destroy(new Error('Connection terminated: the server has stopped answering'));
  });
}
