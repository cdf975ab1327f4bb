import { ProblemError } from '@agentstration/service-kit';
import type { ResourceGeneration, ResourceKey, ResourceStore } from '@agentstration/store';
import { decodeContinueToken, encodeContinueToken } from '../resources/continue-token.ts';
import { type QueryParameters, readLimit, readOne } from '../resources/query-parameters.ts';
import { resourceNotFound } from '../resources/resource-address.ts';

export const generationParameters = ['resourceNamespace', 'limit', 'continue'] as const;

export interface GenerationList {
  readonly items: readonly ResourceGeneration[];
  readonly continue: string | null;
}

/** Every definition that this name ever had, newest first, with who made it and when; of a deleted resource too. */
export async function listGenerations(store: ResourceStore, key: ResourceKey, parameters: QueryParameters): Promise<GenerationList> {
  const identity = ['generations', key.tenantId, key.workspaceId, key.kind, key.namespace, key.name];
  const token = readOne(parameters, 'continue');
  const before = token === undefined ? undefined : readBefore(token, identity);
  const page = await store.listGenerations(key, { limit: readLimit(parameters), ...(before === undefined ? {} : { before }) });
  if (!page) throw resourceNotFound();
  return { items: page.items, continue: page.next === null ? null : encodeContinueToken(page.next, identity) };
}

function readBefore(token: string, identity: readonly string[]): number {
  const before = decodeContinueToken(token, identity);
  if (typeof before === 'number' && Number.isSafeInteger(before) && before > 0) return before;
  throw new ProblemError('invalid_cursor', 'continue must be the token of a page of the same query in the same workspace');
}
