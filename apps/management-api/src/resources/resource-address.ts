import { type Scope, defaultNamespace, matches } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';
import type { ResourceKey } from '@agentstration/store';
import { type QueryParameters, readOne } from './query-parameters.ts';
import type { ResourceType } from './resource-type.ts';

/** The same words for a thing of another Workspace and for one that does not exist. */
export const resourceNotFound = (): ProblemError => new ProblemError('resource_not_found', 'No such resource in this workspace');

/** The namespace that a URL names; undefined when it names none. */
export function namespaceOf(query: QueryParameters): string | undefined {
  const namespace = readOne(query, 'resourceNamespace');
  if (namespace !== undefined && !matches('namespace', namespace))
    throw new ProblemError('invalid_parameter', 'resourceNamespace must be 1 to 128 lower-case letters, digits, dots and hyphens');
  return namespace;
}

/** The key of the resource that a URL names. Whether the name can exist is for {@link canExist} to say. */
export const keyOf = (type: ResourceType, scope: Scope, { name, query }: { name: string; query: QueryParameters }): ResourceKey => ({
  tenantId: scope.tenantId,
  workspaceId: scope.workspaceId,
  kind: type.kind,
  namespace: namespaceOf(query) ?? defaultNamespace,
  name,
});

/** Refuses a name that no resource can have before it reaches the store. */
export function existingKeyOf(...[type, scope, address]: Parameters<typeof keyOf>): ResourceKey {
  if (!matches('resourceName', address.name)) throw resourceNotFound();
  return keyOf(type, scope, address);
}

/** Where a resource is read. */
export function locationOf(type: ResourceType, key: Pick<ResourceKey, 'namespace' | 'name'>): string {
  const query = key.namespace === defaultNamespace ? '' : `?resourceNamespace=${encodeURIComponent(key.namespace)}`;
  return `/api/${type.path}/${encodeURIComponent(key.name)}${query}`;
}
