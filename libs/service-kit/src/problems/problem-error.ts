import { type Fault, type ProblemCode, problems } from '@agentstration/contracts';

export interface ProblemExtras {
  readonly errors?: readonly Fault[];
  /** A stable code of the part that failed. */
  readonly reason?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown anywhere in HTTP code: becomes an RFC 9457 document. `detail` is shown to the caller; it holds no secret. */
export class ProblemError extends Error {
  readonly status: number;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(detail);
    this.name = 'ProblemError';
    this.status = problems[code].status;
  }
}
