import { ProblemError } from '@agentstration/service-kit';
import type { Expectation, StoredResource } from '@agentstration/store';

/** Strong: `uid` and `revision` together name one exact representation (RFC 9110, section 8.8.3). */
export const entityTagOf = (resource: Expectation): string => `"${resource.uid}.${resource.revision}"`;

/** A YAML answer is another representation of the same state and needs another strong tag; either is good for a write. */
export const yamlEntityTag = (tag: string): string => tag.replace(/"$/, '.yaml"');

interface EntityTag {
  readonly weak: boolean;
  /** With its quotes, as {@link entityTagOf} makes it. */
  readonly tag: string;
}

/** `*`, or the listed tags. */
export type EntityTags = '*' | readonly EntityTag[];

const tagAt = /[ \t]*(W\/)?("[\x21\x23-\x7E\x80-\xFF]*")[ \t]*(?:,|$)/y;

/** Reads `If-Match` or `If-None-Match`; undefined when the header is absent. Empty list elements are allowed (RFC 9110, 5.6.1). */
export function parseEntityTags(header: string | undefined, name: string): EntityTags | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  let at = 0;
  while (at < header.length) {
    const blank = /[ \t]*,/y;
    blank.lastIndex = at;
    if (blank.test(header)) {
      at = blank.lastIndex;
      continue;
    }
    tagAt.lastIndex = at;
    const found = tagAt.exec(header);
    if (!found?.[2]) throw new ProblemError('malformed_request', `${name} must be * or a list of entity tags such as "a", "b"`);
    tags.push({ weak: found[1] !== undefined, tag: found[2] });
    at = tagAt.lastIndex;
  }
  if (tags.length === 0) throw new ProblemError('malformed_request', `${name} must be * or a list of entity tags such as "a", "b"`);
  return tags;
}

/** Strong comparison: a weak tag matches nothing (RFC 9110, 13.1.1). */
export const satisfiesIfMatch = (tags: EntityTags, resource: StoredResource): boolean =>
  tags === '*' || tags.some(({ weak, tag }) => !weak && namesResource(tag, resource));

/** Weak comparison of a representation's tag (RFC 9110, 13.1.2): true means that the caller has it already. */
export const isKnownToCaller = (tags: EntityTags | undefined, current: string): boolean =>
  tags !== undefined && (tags === '*' || tags.some(({ tag }) => tag === current));

function namesResource(tag: string, resource: StoredResource): boolean {
  const current = entityTagOf(resource);
  return tag === current || tag === yamlEntityTag(current);
}
