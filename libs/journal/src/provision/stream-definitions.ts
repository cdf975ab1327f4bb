import { streams, subjectFilters } from '@agentstration/contracts';
import { journalProperties } from '../verify/journal-properties.ts';

export interface StreamSettings {
  /** Configuration `Journal:Replicas`; every stream gets as many. */
  readonly replicas: number;
  /** Configuration `Journal:MaximumBytes`. */
  readonly journalMaximumBytes: number;
  /** Configuration `ToolExecution:AckWaitMs`. */
  readonly ackWaitMs: number;
  /** All waiting requests together, arguments included; default 1 GiB. */
  readonly requestsMaximumBytes?: number;
  /** Waiting requests of one Workspace; default 100 000. A publish beyond it is refused. */
  readonly requestsPerWorkspace?: number;
}

/** What a stream or consumer must be, property by property, named as the broker names them. */
export type Definition = Readonly<Record<string, unknown>> & { readonly name: string };

const gibibyte = 1024 ** 3;
const nanosecondsPerMs = 1_000_000;
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** The broker's minimum: nothing of ours is deduplicated by `Nats-Msg-Id`, whose memory is one for all Workspaces. */
const duplicateWindow = 100 * nanosecondsPerMs;

/** Off everywhere: copies of facts or requests on other subjects, and features that change what a publish means. */
const neverSet = { no_ack: false, sealed: false, mirror: null, sources: null, subject_transform: null, republish: null };
const newerFeatures = {
  allow_msg_ttl: false,
  allow_msg_counter: false,
  allow_msg_schedules: false,
  persist_mode: null,
  consumer_limits: null,
};

const baseOf = (replicas: number) => ({
  ...neverSet,
  ...newerFeatures,
  num_replicas: replicas,
  duplicate_window: duplicateWindow,
  allow_rollup_hdrs: false,
});

/** Every stream of the product. */
export function streamDefinitions(settings: StreamSettings): readonly Definition[] {
  const base = baseOf(settings.replicas);
  return [
    { ...base, ...journalProperties, name: streams.journal, max_bytes: settings.journalMaximumBytes, allow_direct: false },
    { ...base, ...requests(settings) },
    resultsDefinition(settings.replicas),
    { ...base, ...deadLetters },
  ];
}

/** A work queue that refuses what does not fit: a publish that was acknowledged is never dropped. */
const requests = (settings: StreamSettings): Definition => ({
  name: streams.requests,
  subjects: [subjectFilters.requests],
  retention: 'workqueue',
  storage: 'file',
  discard: 'new',
  max_msgs_per_subject: settings.requestsPerWorkspace ?? 100_000,
  discard_new_per_subject: true,
  max_bytes: settings.requestsMaximumBytes ?? gibibyte,
  max_msgs: -1,
  max_msg_size: -1,
  max_age: 0,
});

/** Provider results never reach a disk of ours: the newest result of each Tool Call, for five minutes, in memory. */
export const resultsDefinition = (replicas: number): Definition => ({
  ...baseOf(replicas),
  name: streams.results,
  subjects: [subjectFilters.results],
  retention: 'limits',
  storage: 'memory',
  discard: 'old',
  max_msgs_per_subject: 1,
  max_bytes: gibibyte / 4,
  max_msgs: -1,
  max_msg_size: -1,
  max_age: 5 * minuteMs * nanosecondsPerMs,
  allow_direct: true,
});

/** The newest of each Workspace; a full one never keeps a bad request in the queue. */
const deadLetters: Definition = {
  name: streams.deadLetters,
  subjects: [subjectFilters.deadLetters],
  retention: 'limits',
  storage: 'file',
  discard: 'old',
  max_msgs_per_subject: 10_000,
  max_bytes: gibibyte / 4,
  max_msgs: -1,
  max_msg_size: -1,
  max_age: 30 * dayMs * nanosecondsPerMs,
};

/** The durable pull consumer of the request queue that all executors share. */
export const requestConsumerName = 'tool-executor';

/** Unlimited deliveries and unlimited unacknowledged requests: a Workspace whose requests wait must not silence the others. */
export const requestConsumerDefinition = (settings: StreamSettings): Definition => ({
  name: requestConsumerName,
  durable_name: requestConsumerName,
  ack_policy: 'explicit',
  deliver_policy: 'all',
  replay_policy: 'instant',
  ack_wait: settings.ackWaitMs * nanosecondsPerMs,
  max_deliver: -1,
  max_ack_pending: -1,
  deliver_subject: null,
  filter_subject: null,
  filter_subjects: null,
  backoff: null,
  headers_only: false,
  inactive_threshold: 0,
  max_batch: 0,
  max_expires: 0,
  mem_storage: false,
});
