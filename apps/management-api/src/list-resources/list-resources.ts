import { ProblemError } from '@agentstration/service-kit';
import type { Place, ResourcePage, ResourceQuery, ResourceStore } from '@agentstration/store';
import type { Scope } from '@agentstration/contracts';
import { decodeContinueToken, encodeContinueToken } from '../resources/continue-token.ts';
import { parseLabelSelector } from '../resources/label-selector.ts';
import { type QueryParameters, readLimit, readOne } from '../resources/query-parameters.ts';
import { renderResource } from '../resources/render-resource.ts';
import { namespaceOf } from '../resources/resource-address.ts';
import type { ResourceType } from '../resources/resource-type.ts';

export const listParameters = ['resourceNamespace', 'labelSelector', 'limit', 'continue'] as const;

export interface ResourceList {
  readonly items: readonly ReturnType<typeof renderResource>[];
  /** Null on the last page. */
  readonly continue: string | null;
}

/** One page in the order of namespace and name; a walk over pages meets everything that stands throughout once. */
export async function listResources(
  store: ResourceStore,
  type: ResourceType,
  { scope, parameters }: { readonly scope: Scope; readonly parameters: QueryParameters },
): Promise<ResourceList> {
  const labelSelector = readOne(parameters, 'labelSelector');
  const namespace = namespaceOf(parameters);
  const query = { ...scope, kind: type.kind, ...(namespace === undefined ? {} : { namespace }) };
  const identity = [scope.tenantId, scope.workspaceId, type.kind, namespace ?? null, labelSelector ?? ''];
  const token = readOne(parameters, 'continue');
  const page: ResourcePage = await store.list({
    ...query,
    labels: parseLabelSelector(labelSelector),
    limit: readLimit(parameters),
    ...(token === undefined ? {} : { after: readPlace(token, identity) }),
  } satisfies ResourceQuery);
  return { items: page.items.map(renderResource), continue: page.next && encodeContinueToken(page.next, identity) };
}

function readPlace(token: string, identity: readonly unknown[]): Place {
  const place = decodeContinueToken(token, identity) as Partial<Place> | null;
  if (typeof place?.namespace === 'string' && typeof place.name === 'string') return { namespace: place.namespace, name: place.name };
  throw new ProblemError('invalid_cursor', 'continue must be the token of a page of the same query in the same workspace');
}
