/** A migration cannot be done. The message says what is wrong and, where it is known, what to do. */
export class MigrationFailed extends Error {
  readonly explainsItself = true;

  constructor(message: string) {
    super(message);
    this.name = 'MigrationFailed';
  }

  /** Migrations hold no user's values, so that the database's own words may be told. */
  static from(error: unknown): MigrationFailed | undefined {
    if (error instanceof MigrationFailed) return error;
    const driverError = error instanceof Error && 'driverError' in error ? error.driverError : undefined;
    if (!(driverError instanceof Error)) return undefined;
    const { message, hint } = driverError as Error & { hint?: string };
    return new MigrationFailed(hint === undefined ? message : `${message}. ${hint}`);
  }
}
