import type { AttemptQuery } from '@agentstration/governance';

/** Queries of one Workspace: at least one. */
export type Batch = readonly [AttemptQuery, ...AttemptQuery[]];

/** Answers each query of a batch, in order, from one snapshot taken after it is called. */
export type ResolveAll<Answer> = (batch: Batch) => Promise<readonly Answer[]>;

export interface SharingLimits {
  /** Queries of a Workspace under way at once. */
  readonly queries: number;
  /** Attempts in one query, so that no answer grows without bound. */
  readonly attempts: number;
}

interface Waiting<Answer> {
  readonly query: AttemptQuery;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

interface Line<Answer> {
  running: number;
  readonly waiting: Waiting<Answer>[];
}

/**
 * Lets concurrent attempts of a Workspace share one query, under one law: the query starts after each of them arrived.
 * While as many as allowed are under way the later ones wait and go together; an attempt never joins a query that has
 * already started.
 */
export class SharedResolution<Answer> {
  readonly #lines = new Map<string, Line<Answer>>();

  constructor(
    private readonly resolveAll: ResolveAll<Answer>,
    private readonly limits: SharingLimits = { queries: 4, attempts: 8 },
  ) {}

  resolve(query: AttemptQuery): Promise<Answer> {
    const workspace = `${query.tenantId}/${query.workspaceId}`;
    const line = this.#lines.get(workspace) ?? { running: 0, waiting: [] };
    this.#lines.set(workspace, line);
    return new Promise((resolve, reject) => {
      line.waiting.push({ query, resolve, reject });
      if (line.running < this.limits.queries) void this.#serve(workspace, line);
    });
  }

  async #serve(workspace: string, line: Line<Answer>): Promise<void> {
    line.running += 1;
    while (line.waiting.length > 0) await this.#answer(line.waiting.splice(0, this.limits.attempts));
    line.running -= 1;
    if (line.running === 0) this.#lines.delete(workspace);
  }

  async #answer(attempts: readonly Waiting<Answer>[]): Promise<void> {
    try {
      const answers = await this.resolveAll(attempts.map(({ query }) => query) as unknown as Batch);
      if (answers.length !== attempts.length) throw new TypeError('A resolution answers each of its attempts once.');
      attempts.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      for (const { reject } of attempts) reject(error);
    }
  }
}
