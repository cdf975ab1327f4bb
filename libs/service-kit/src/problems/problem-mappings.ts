import { Injectable } from '@nestjs/common';
import type { ProblemError } from './problem-error.ts';

/** Turns an error of a part below into a problem; undefined: not mine. */
export type ProblemMapping = (error: unknown) => ProblemError | undefined;

/** How errors of databases and brokers become problems. Injectable everywhere. */
@Injectable()
export class ProblemMappings {
  private readonly mappings: ProblemMapping[] = [];

  register(mapping: ProblemMapping): void {
    this.mappings.push(mapping);
  }

  /** The first mapping that knows the error decides. */
  toProblem(error: unknown): ProblemError | undefined {
    for (const mapping of this.mappings) {
      const problem = mapping(error);
      if (problem) return problem;
    }
    return undefined;
  }
}
