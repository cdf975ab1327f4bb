import type { AppendOutcome } from '@agentstration/governance';
import { JetStreamApiError, type PubAck } from '@nats-io/jetstream';
import { errors } from '@nats-io/transport-node';

type Refusal = Extract<AppendOutcome, { kind: 'refused' }>['reason'];

/**
 * Error codes by which the broker says that it did not store this publish. A code that is not listed, a storage failure
 * above all, leaves it open: unknown.
 */
const refusals: ReadonlyMap<number, Refusal> = new Map<number, Refusal>([
  [10071, 'wrong_last_sequence'],
  [10164, 'wrong_last_sequence'], // a conflict with a publish that is still on its way through the replicas
  [10158, 'wrong_last_sequence'], // a duplicate of such a publish: look at what is stored
  [10047, 'journal_full'], // the account's or the server's storage, not the stream's limit
  [10002, 'journal_full'],
  [10028, 'journal_full'],
  [10054, 'too_large'],
  [10097, 'too_large'],
  [10008, 'unavailable'],
  [10009, 'unavailable'],
  [10023, 'unavailable'],
  [10039, 'unavailable'],
  [10059, 'unavailable'],
  [10076, 'unavailable'],
  [10118, 'unavailable'],
  [10167, 'unavailable'], // more publishes than the broker takes in at the moment
  [10060, 'error'], // another stream listens on the Journal's subjects
  [10109, 'error'], // sealed
]);
const storeFailed = 10077;

export const refused = (reason: Refusal, detail: string): AppendOutcome => ({ kind: 'refused', reason, detail });

/** What the broker's answer says, without judging it. */
export const fromAcknowledgement = (ack: PubAck, floor: number): AppendOutcome => ({
  kind: 'acknowledged',
  acknowledgement: { stream: ack.stream, sequence: ack.seq, duplicate: ack.duplicate, floor },
});

/** What a publish that did not end in an acknowledgement came to. `refused` only where it was certainly not stored. */
export function fromError(error: unknown): AppendOutcome {
  if (!(error instanceof Error)) return { kind: 'unknown', detail: 'the publish ended without an answer' };
  const answer = findCause(error, JetStreamApiError);
  if (answer) return fromApiError(answer);
  if (findCause(error, errors.NoRespondersError)) return refused('unavailable', 'no stream answers on this subject');
  if (findCause(error, errors.PermissionViolationError)) return refused('error', 'this service may not publish into the Journal');
  if (error instanceof errors.InvalidArgumentError)
    return refused('too_large', `the broker's max_payload does not allow it (${error.message})`);
  if (error instanceof errors.InvalidSubjectError) return refused('error', 'not a subject');
  if (isNeverSent(error)) return refused('unavailable', error.message);
  return { kind: 'unknown', detail: error instanceof errors.TimeoutError ? 'no acknowledgement in time' : error.message };
}

function fromApiError(error: JetStreamApiError): AppendOutcome {
  const reason = refusals.get(error.code) ?? (error.code === storeFailed && /^maximum /.test(error.message) ? 'journal_full' : undefined);
  const detail = `${error.message} (${error.code})`;
  return reason ? refused(reason, detail) : { kind: 'unknown', detail };
}

/** The client refuses before anything leaves the process. */
const isNeverSent = (error: Error): boolean =>
  error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError;

/** The client wraps what went wrong, sometimes twice. */
function findCause<Kind extends Error>(error: Error, kind: new (...args: never[]) => Kind): Kind | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (at instanceof kind) return at;
  return undefined;
}
