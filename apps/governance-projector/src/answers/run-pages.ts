import type { RunKey, Scope } from '@agentstration/contracts';
import type { RunPageQuery, RunPosition } from '@agentstration/store/read-model';
import type { Response } from 'express';
import { positionHeaders } from './position-headers.ts';
import { type QueryParameters, readWhole, refuseUnknown } from './query-parameters.ts';
import { type RunAddress, runKeyOf, runNotFound } from './run-address.ts';

const defaultLimit = 100;
const maximumLimit = 200;

/** What every route of a Run takes: its address, `afterSequence`, `limit` and `waitFor`, and the filters of the route. */
export function readRunPage(
  scope: Scope,
  address: RunAddress,
  { query, filters = [] }: { readonly query: QueryParameters; readonly filters?: readonly string[] },
): RunPageQuery {
  const run = runKeyOf(scope, address);
  refuseUnknown(query, ['afterSequence', 'limit', 'waitFor', ...filters]);
  const afterSequence = readWhole(query, 'afterSequence', { minimum: 0, code: 'invalid_after_sequence' }) ?? 0;
  return { run, afterSequence, limit: readLimit(query) };
}

/** `limit`: 1 to 200, default 100. */
export const readLimit = (query: QueryParameters): number =>
  readWhole(query, 'limit', { minimum: 1, maximum: maximumLimit, code: 'invalid_limit' }) ?? defaultLimit;

/** Lets pages of a Run pass that exists: one that the Journal has a message of, or that is registered. */
export class RunPages {
  constructor(private readonly isRegistered: (run: RunKey) => Promise<boolean>) {}

  /** Sets what the answer says about the read model. @throws ProblemError `run_not_found` */
  async admit(response: Response, run: RunKey, page: RunPosition): Promise<void> {
    const headers = positionHeaders(page);
    if (!page.known && !(await this.isRegistered(run))) throw runNotFound(headers);
    response.set(headers);
  }
}
