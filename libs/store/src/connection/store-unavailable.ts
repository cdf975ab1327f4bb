/**
 * PostgreSQL cannot be used at the moment: unreachable, shutting down, too many connections, or too slow. Nothing is
 * known about a write that was under way. Worth trying again; the HTTP edge answers 503. Holds no query and no value.
 */
export class StoreUnavailable extends Error {
  constructor(
    /** The SQLSTATE or system error code, such as `57P01` or `ECONNREFUSED`. */
    readonly code: string,
    reason = 'it does not answer',
  ) {
    super(`The database cannot be used at the moment: ${reason} (${code})`);
    this.name = 'StoreUnavailable';
  }
}
