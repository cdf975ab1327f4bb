import type { Scope } from '@agentstration/contracts';
import { ProblemError } from '@agentstration/service-kit';
import type { ResourceStore, StoredResource } from '@agentstration/store';
import { contentOf, readManifest } from '../resources/read-manifest.ts';
import type { ResourceType } from '../resources/resource-type.ts';

export interface CreateResource {
  readonly type: ResourceType;
  readonly scope: Scope;
  /** From the query; the body may name it instead. */
  readonly namespace: string | undefined;
  readonly document: unknown;
  readonly by: string;
}

/** Makes a resource under the name that its body gives. */
export async function createResource(store: ResourceStore, create: CreateResource): Promise<StoredResource> {
  const { type, scope, namespace } = create;
  const manifest = readManifest(type, create.document, namespace === undefined ? {} : { namespace });
  const { metadata } = manifest;
  const key = { ...scope, kind: type.kind, namespace: metadata.namespace, name: metadata.name };
  const outcome = await store.create(key, contentOf(manifest), create.by);
  if (outcome.kind === 'already_exists')
    throw new ProblemError('already_exists', `There is a ${type.kind} of that name in the namespace already: replace it with PUT`);
  return outcome.resource;
}
