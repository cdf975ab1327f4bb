import { type Scope, type ToolResult, inboxPrefix, resultSubject, streams } from '@agentstration/contracts';
import { JetStreamApiError, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type NatsConnection, errors } from '@nats-io/transport-node';

/** Room for subject and headers in a message. */
const headroomBytes = 4_096;
const timeoutMs = 5_000;
/** JetStream: no message found, stream not found. */
const notThere: readonly number[] = [10037, 10059];

/** A result on its way to the requester. */
export interface ResultToPublish {
  readonly scope: Scope;
  readonly result: ToolResult;
  /** Where a caller that waits listens. */
  readonly reply: string | undefined;
  /** Makes the stream of results again: a restarted broker has forgotten it. */
  readonly restore: () => Promise<void>;
}

/**
 * Puts the result where requesters read it: a memory stream, the last one per Tool Call. A result that the broker cannot
 * carry is told without its content. Rejects when it may not have been stored.
 */
export async function publishResult(connection: NatsConnection, toPublish: ResultToPublish): Promise<void> {
  const { scope, result, reply, restore } = toPublish;
  const subject = resultSubject({ ...scope, ownerKind: result.ownerKind, runId: result.runId, toolCallId: result.toolCallId });
  const payload = encode(connection, result);
  const isTold = result.resultOmitted === 'lost' && (await isThere(connection, subject, result));
  if (!isTold) await store(connection, { subject, payload, restore });
  if (reply !== undefined && isOwnInbox(scope, reply)) connection.publish(reply, payload);
}

interface ToStore extends Pick<ResultToPublish, 'restore'> {
  readonly subject: string;
  readonly payload: Uint8Array;
}

async function store(connection: NatsConnection, { subject, payload, restore }: ToStore): Promise<void> {
  const publish = () =>
    jetstream(connection, { timeout: timeoutMs }).publish(subject, payload, { expect: { streamName: streams.results } });
  const ack = await publish().catch(async (error: unknown) => {
    if (!isUnheard(error)) throw error;
    await restore();
    return publish();
  });
  if (ack.stream !== streams.results || !(ack.seq > 0)) throw new Error('The result was not stored.');
}

/** No stream answered: by no responders, or by silence where somebody else listens on the subject. */
function isUnheard(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause)
    if (at instanceof errors.NoRespondersError || at instanceof errors.TimeoutError) return true;
  return false;
}

/** Further tokens of a subject, none of them empty: to any other subject a broker delivers nothing. */
const tokens = /^(\.[^\s.*>]+)+$/;
/** Where a broker sends a reply that crosses accounts: `_R_.`, an account's random token, a random token of this reply. */
const acrossAccounts = /^_R_(\.[^\s.*>]+){2,}$/;

/**
 * Whether a reply subject leads to the Request's own Workspace and nowhere else: below the inbox prefix of the Workspace,
 * or one that the broker made where each Workspace has an account of its own. There it replaces the requester's reply
 * subject and leads every answer back into the asking account; a client that sends such a reply subject is refused. In a
 * stored header it might be invented: its tokens are random, so an invented one reaches nobody.
 */
export const isOwnInbox = (scope: Scope, reply: string): boolean =>
  (reply.startsWith(inboxPrefix(scope)) && tokens.test(reply.slice(inboxPrefix(scope).length))) || acrossAccounts.test(reply);

function encode(connection: NatsConnection, result: ToolResult): Uint8Array {
  const encoder = new TextEncoder();
  const payload = encoder.encode(JSON.stringify(result));
  const limit = (connection.info?.max_payload ?? 1_048_576) - headroomBytes;
  return payload.length <= limit
    ? payload
    : encoder.encode(JSON.stringify({ ...result, result: null, resultOmitted: 'too_large' } satisfies ToolResult));
}

/** A recorded outcome told again must not replace the result that was told the first time. */
async function isThere(connection: NatsConnection, subject: string, result: ToolResult): Promise<boolean> {
  try {
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: timeoutMs });
    const last = await manager.streams.getMessage(streams.results, { last_by_subj: subject });
    return last?.json<Partial<ToolResult>>().invocationId === result.invocationId;
  } catch (error) {
    if (error instanceof JetStreamApiError && notThere.includes(error.code)) return false;
    throw error;
  }
}
