import { Injectable } from '@nestjs/common';
import { infrastructureProblem } from './infrastructure-problem.ts';
import type { ProblemError } from './problem-error.ts';

/** Turns an error of a part below into a problem; undefined: not mine. */
export type ProblemMapping = (error: unknown) => ProblemError | undefined;

/** How errors of the parts below become problems. Injectable everywhere. An outage of database or broker is known already. */
@Injectable()
export class ProblemMappings {
  private readonly mappings: ProblemMapping[] = [];

  /** Mappings registered later are asked after those before. */
  register(mapping: ProblemMapping): void {
    this.mappings.push(mapping);
  }

  /** The first mapping that knows the error decides. */
  toProblem(error: unknown): ProblemError | undefined {
    for (const mapping of [...this.mappings, infrastructureProblem]) {
      const problem = mapping(error);
      if (problem) return problem;
    }
    return undefined;
  }
}
