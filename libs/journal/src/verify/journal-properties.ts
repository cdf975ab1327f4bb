import { streams, subjectFilters } from '@agentstration/contracts';

/** A property that is not as it must be, named as the broker names it. */
export interface Difference {
  readonly property: string;
  readonly actual: unknown;
  readonly wanted: unknown;
}

/**
 * What the gate relies on: facts are on disk, acknowledged, complete and unaltered for ever. Named as in a stream's
 * configuration; null, false, 0 and -1 stand for "not set", however a broker's version spells it.
 */
export const journalProperties: Readonly<Record<string, unknown>> = {
  subjects: [subjectFilters.journal],
  storage: 'file',
  retention: 'limits',
  discard: 'new',
  discard_new_per_subject: false,
  no_ack: false,
  deny_delete: true,
  deny_purge: true,
  sealed: false,
  max_age: 0,
  max_msgs: -1,
  max_msgs_per_subject: -1,
  max_msg_size: -1,
  allow_rollup_hdrs: false,
  allow_msg_ttl: false,
  subject_delete_marker_ttl: 0,
  mirror: null,
  sources: null,
  subject_transform: null,
  persist_mode: null,
};

/** Every property of `wanted` that `actual` has otherwise. What `wanted` does not name is not looked at. */
export function differences(actual: object, wanted: Readonly<Record<string, unknown>>): readonly Difference[] {
  const properties = actual as Readonly<Record<string, unknown>>;
  return Object.entries(wanted).flatMap(([property, want]) =>
    isSame(properties[property], want) ? [] : [{ property, actual: properties[property] ?? null, wanted: want }],
  );
}

/** `<stream>: max_age is 60000000000, must be 0`. */
export const describeDifference = (difference: Difference, name: string = streams.journal): string =>
  `${name}: ${difference.property} is ${JSON.stringify(difference.actual)}, must be ${JSON.stringify(difference.wanted)}`;

const isSame = (actual: unknown, wanted: unknown): boolean =>
  isUnset(wanted) ? isUnset(actual) : JSON.stringify(actual) === JSON.stringify(wanted);

/** Brokers leave a property out, or send the neutral value of its type. */
const isUnset = (value: unknown): boolean =>
  [undefined, null, '', false, 0, -1, 'default'].includes(value as never) ||
  (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
