import type { Scope } from '@agentstration/contracts';

/** Questions of one Workspace that may share: at least one. */
export type Batch<Question> = readonly [Question, ...Question[]];

/** Answers each question of a batch, in order, from one snapshot taken after it is called. */
export type AnswerAll<Question, Answer> = (batch: Batch<Question>) => Promise<readonly Answer[]>;

export interface SharingLimits {
  /** Queries of one line under way at once. */
  readonly queries: number;
  /** Questions in one query, so that no answer grows without bound. */
  readonly questions: number;
}

interface Waiting<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

interface Line<Question, Answer> {
  running: number;
  readonly waiting: Waiting<Question, Answer>[];
}

const linesOfOneMap = 128;

const workspaceOf = ({ tenantId, workspaceId }: Scope): string => `${tenantId}/${workspaceId}`;

/**
 * Lets concurrent questions of a Workspace share one query, under one law: the query starts after each of them arrived.
 * While as many as allowed are under way the later ones wait and go together; a question never joins a query that has
 * already started, so that no answer is older than its question.
 */
export class SharedReads<Question extends Scope, Answer> {
  #lines = new Map<string, Line<Question, Answer>>();
  #ended = 0;

  /** @param lineOf which questions may share a query; never those of two Workspaces. Default: all of a Workspace. */
  constructor(
    private readonly answerAll: AnswerAll<Question, Answer>,
    private readonly limits: SharingLimits,
    private readonly lineOf: (question: Question) => string = workspaceOf,
  ) {}

  ask(question: Question): Promise<Answer> {
    const name = this.lineOf(question);
    const line = this.#lines.get(name) ?? { running: 0, waiting: [] };
    this.#lines.set(name, line);
    return new Promise((resolve, reject) => {
      line.waiting.push({ question, resolve, reject });
      if (line.running < this.limits.queries) void this.#serve(name, line);
    });
  }

  async #serve(name: string, line: Line<Question, Answer>): Promise<void> {
    line.running += 1;
    while (line.waiting.length > 0) await this.#answer(line.waiting.splice(0, this.limits.questions));
    line.running -= 1;
    if (line.running === 0) this.#end(name);
  }

  /** A `Map` whose entries come and go leaves a chain of old tables, which would keep all that they held from dying young. */
  #end(name: string): void {
    this.#lines.delete(name);
    this.#ended += 1;
    if (this.#ended % linesOfOneMap === 0) this.#lines = new Map(this.#lines);
  }

  async #answer(waiting: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.answerAll(waiting.map(({ question }) => question) as unknown as Batch<Question>);
      if (answers.length !== waiting.length) throw new TypeError('A query answers each of its questions once.');
      waiting.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
