/** The Journal is not the one that the checkpoint knows: going on could only be wrong. An alarm. */
export class JournalContradiction extends Error {
  constructor(
    readonly kind: 'recreated' | 'shorter' | 'rewritten' | 'gap',
    detail: string,
  ) {
    super(`The Journal contradicts the read model (${kind}): ${detail}`);
    this.name = 'JournalContradiction';
  }
}

/** Another projector holds the lease of this generation. */
export class LeaseLost extends Error {
  constructor(readonly generation: number) {
    super(`Another projector is active on generation ${generation}`);
    this.name = 'LeaseLost';
  }
}

/** A batch that fails whenever it is tried: one of its messages is poison. */
export class PoisonousBatch extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = 'PoisonousBatch';
  }
}

/** The SQLSTATE of a database error, wherever the layers above put it. */
export function sqlStateOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, driverError } = at as { code?: unknown; driverError?: { code?: unknown } };
    const found = [code, driverError?.code].find((value) => typeof value === 'string' && /^[0-9A-Z]{5}$/.test(value));
    if (found) return found as string;
  }
  return undefined;
}

/** Errors that come again whenever the same rows are written: data (22), constraints (23), limits of a row (54). */
export const isDeterministic = (error: unknown): boolean =>
  error instanceof PoisonousBatch || ['22', '23', '54'].includes(sqlStateOf(error)?.slice(0, 2) ?? '');
