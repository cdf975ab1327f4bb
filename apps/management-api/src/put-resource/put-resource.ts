import type { ResourceKey, ResourceStore, StoredResource } from '@agentstration/store';
import { contentOf, readManifest } from '../resources/read-manifest.ts';
import { resourceNotFound } from '../resources/resource-address.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { type ConditionalHeaders, etagMismatch, isCreateOnly, requireIfMatch, writeIfMatch } from '../resources/write-preconditions.ts';

export interface PutResource {
  readonly type: ResourceType;
  readonly key: ResourceKey;
  readonly headers: ConditionalHeaders;
  readonly document: unknown;
  readonly by: string;
}

export interface PutOutcome {
  readonly created: boolean;
  readonly resource: StoredResource;
}

/** Replaces what `If-Match` names, or with `If-None-Match: *` makes what does not exist. The same content changes nothing. */
export async function putResource(store: ResourceStore, put: PutResource): Promise<PutOutcome> {
  const { type, key, headers, by } = put;
  if (isCreateOnly(headers)) return { created: true, resource: await createOnly(store, put) };
  const ifMatch = requireIfMatch(headers);
  const content = contentOf(readManifest(type, put.document, key));
  const { resource } = await writeIfMatch({
    ifMatch,
    read: () => store.get(key),
    attempt: (current) => store.replace(key, { expected: current, content }, by),
  });
  return { created: false, resource };
}

async function createOnly(store: ResourceStore, { type, key, document, by }: PutResource): Promise<StoredResource> {
  if (!type.madeByUsers) throw (await store.get(key)) ? etagMismatch() : resourceNotFound();
  const outcome = await store.create(key, contentOf(readManifest(type, document, key)), by);
  if (outcome.kind === 'already_exists') throw etagMismatch();
  return outcome.resource;
}
