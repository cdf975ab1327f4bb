import { type ToolResult, parseScope, parseToolRequest, requestSubject, streams } from '@agentstration/contracts';
import { jetstream } from '@nats-io/jetstream';
import { type Msg, type NatsConnection, headers } from '@nats-io/transport-node';
import { isOwnInbox } from '../deliver-result/publish-result.ts';
import { failureOf } from '../execute-tool-call/tool-results.ts';
import { publishDeadLetter } from './dead-letter.ts';
import { replyHeader } from './held-request.ts';
import type { Reception } from './receive-request.ts';

const timeoutMs = 5_000;

/** Why a `call` is not answered: there is nobody to answer, or nobody that may be answered. */
export type UnansweredCall = 'no_reply_subject' | 'foreign_reply_subject';

/**
 * Turns a `call` (core request/reply) into a durable Request that remembers where its caller waits. A reply subject
 * outside the Workspace's own inboxes is never answered, and nothing is executed for it. The caller learns at once when the
 * Request was not accepted.
 */
export async function acceptCall({ connection, onCallUnanswered }: Reception, message: Msg): Promise<void> {
  const scope = parseScope(message.subject);
  const { reply } = message;
  if (!scope) return;
  if (reply === undefined || reply === '') return onCallUnanswered(scope, 'no_reply_subject');
  if (!isOwnInbox(scope, reply)) return onCallUnanswered(scope, 'foreign_reply_subject');
  const parsed = parseToolRequest(message.data);
  if (!parsed.ok) {
    const { reason, identities } = parsed;
    refuse(connection, reply, { reason, code: 'request_malformed', identities });
    return publishDeadLetter(connection, { subject: message.subject, payload: message.data, reason, identities, receivedAt: new Date() });
  }
  const given = headers();
  given.set(replyHeader, reply);
  for (const name of ['traceparent', 'tracestate']) if (message.headers?.has(name)) given.set(name, message.headers.get(name));
  try {
    const ack = await jetstream(connection, { timeout: timeoutMs }).publish(requestSubject(scope), message.data, {
      headers: given,
      expect: { streamName: streams.requests },
    });
    if (!ack.duplicate && ack.seq > 0) return;
  } catch {
    // Told below, like an acknowledgement that is none.
  }
  const { toolCallId, requestId, run } = parsed.request;
  const identities = { toolCallId, ...run, ...(requestId === undefined ? {} : { requestId }) };
  refuse(connection, reply, {
    reason: 'The request queue did not accept the request; it may be full. Try again.',
    code: 'request_not_accepted',
    identities,
  });
}

interface Refusal {
  readonly reason: string;
  readonly code: string;
  readonly identities: Partial<Pick<ToolResult, 'ownerKind' | 'runId' | 'toolCallId' | 'requestId'>>;
}

function refuse(connection: NatsConnection, reply: string, { reason, code, identities }: Refusal): void {
  const failure = failureOf('Rejected', code, { message: reason });
  const none = { invocationId: null, attempt: 0, durationMs: 0, result: null, resultOmitted: null };
  connection.publish(reply, JSON.stringify({ ...identities, ...none, outcome: 'Failed', failure }));
}
