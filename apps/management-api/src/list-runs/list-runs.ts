import type { Scope } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';
import type { RunStore } from '@agentstration/store';
import { decodeContinueToken, encodeContinueToken } from '../resources/continue-token.ts';
import { type QueryParameters, readLimit, readOne } from '../resources/query-parameters.ts';
import { type RunView, renderRun } from '../runs/render-run.ts';
import type { RunProgress } from '../runs/run-ports.ts';

export const runListParameters = ['limit', 'continue'] as const;

export interface RunListPorts {
  readonly runs: Pick<RunStore, 'list'>;
  readonly progress: RunProgress;
}

export interface RunList {
  readonly items: readonly RunView[];
  readonly continue: string | null;
}

/** One page of the Workspace's Runs, newest first. */
export async function listRuns(ports: RunListPorts, scope: Scope, parameters: QueryParameters): Promise<RunList> {
  const identity = ['runs', scope.tenantId, scope.workspaceId];
  const token = readOne(parameters, 'continue');
  const before = token === undefined ? {} : { before: readPosition(token, identity) };
  const page = await ports.runs.list(scope, { limit: readLimit(parameters), ...before });
  const items = await Promise.all(page.items.map(async (run) => renderRun(run, await ports.progress.toolCalls(run))));
  return { items, continue: page.next === null ? null : encodeContinueToken(page.next, identity) };
}

function readPosition(token: string, identity: readonly string[]): string {
  const position = decodeContinueToken(token, identity);
  if (typeof position === 'string' && /^\d{1,19}$/.test(position)) return position;
  throw new ProblemError('invalid_cursor', 'continue must be the token of a page of the same query in the same workspace');
}
