import { apiVersion } from '@agentstration/contracts';
import type { ResourceKey, ResourceStore, StoredResource } from '@agentstration/store';
import { contentOf, readManifest } from '../resources/read-manifest.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { type ConditionalHeaders, requireIfMatch, writeIfMatch } from '../resources/write-preconditions.ts';
import { mergePatch } from './merge-patch.ts';

export interface PatchResource {
  readonly type: ResourceType;
  readonly key: ResourceKey;
  readonly headers: ConditionalHeaders;
  readonly patch: unknown;
  readonly by: string;
}

/** Applies a JSON merge patch to the manifest of what `If-Match` names. The result is judged whole, like the body of a `PUT`. */
export async function patchResource(store: ResourceStore, { type, key, headers, patch, by }: PatchResource): Promise<StoredResource> {
  const { resource } = await writeIfMatch({
    ifMatch: requireIfMatch(headers),
    read: () => store.get(key),
    attempt(current) {
      const content = contentOf(readManifest(type, mergePatch(manifestOf(current), patch), key));
      return store.replace(key, { expected: current, content }, by);
    },
  });
  return resource;
}

const manifestOf = ({ kind, name, namespace, labels, annotations, definition }: StoredResource): object => ({
  apiVersion,
  kind,
  metadata: { name, namespace, labels, annotations },
  definition,
});
