import type { ResourceKey, ResourceStore } from '@agentstration/store';
import { type ConditionalHeaders, requireIfMatch, writeIfMatch } from '../resources/write-preconditions.ts';

export interface DeleteResource {
  readonly key: ResourceKey;
  readonly headers: ConditionalHeaders;
  readonly by: string;
}

/** Deletes what `If-Match` names. Its generations stay readable. */
export async function deleteResource(store: ResourceStore, { key, headers, by }: DeleteResource): Promise<void> {
  await writeIfMatch({
    ifMatch: requireIfMatch(headers),
    read: () => store.get(key),
    attempt: (current) => store.delete(key, current, by),
  });
}
