/**
 * PostgreSQL cannot be used at the moment: unreachable, shutting down, too many connections, or too slow. Nothing is
 * known about a write that was under way. Worth trying again; the HTTP edge answers 503. Holds no query and no value.
 */
export class StoreUnavailable extends Error {
  /** A person who starts a service needs to read no more than the message. */
  readonly explainsItself = true;

  constructor(
    /** The SQLSTATE or system error code, such as `57P01` or `ECONNREFUSED`. */
    readonly code: string,
    private readonly reason = 'it does not answer',
    which = 'The database',
  ) {
    super(`${which} cannot be used at the moment: ${reason} (${code})`);
    this.name = 'StoreUnavailable';
  }

  /** The same, naming the host and the setting that names it: for an operator, never for a caller. */
  at(url: string): StoreUnavailable {
    const { hostname, port, pathname } = new URL(url);
    const place = `${hostname}:${port || '5432'}${pathname}`;
    return new StoreUnavailable(this.code, this.reason, `The database ${place} (Agentstration:Database:Url, Agentstration__Database__Url)`);
  }
}
