import {
  type ParsedToolRequest,
  type Scope,
  type ToolRequest,
  type ToolResult,
  parseScope,
  parseToolRequest,
} from '@agentstration/contracts';
import type { NatsConnection } from '@nats-io/transport-node';
import type { RunningCalls } from '../cancel-tool-calls/running-calls.ts';
import { publishResult } from '../deliver-result/publish-result.ts';
import { executeToolCall } from '../execute-tool-call/execute-tool-call.ts';
import type { ExecutorParts } from '../execute-tool-call/executor-parts.ts';
import { failureOf } from '../execute-tool-call/tool-results.ts';
import type { UnansweredCall } from './accept-call.ts';
import { publishDeadLetter } from './dead-letter.ts';
import { type HeldRequest, replyHeader } from './held-request.ts';
import type { WorkspaceShares } from './workspace-shares.ts';

export interface Reception {
  readonly connection: NatsConnection;
  readonly executor: ExecutorParts;
  readonly shares: WorkspaceShares;
  readonly calls: RunningCalls;
  /** A Request above its Workspace's share was sent back. */
  readonly onSentBack: () => void;
  /** A `call` was dropped, because nobody may be answered. */
  readonly onCallUnanswered: (scope: Scope, why: UnansweredCall) => void;
  /** Makes the stream of results again where a broker has forgotten it. */
  readonly restoreResults: () => Promise<void>;
}

const retryDelayMs = 1_000;

/** Takes one Request from the queue as far as it goes, and settles its message. */
export async function receiveRequest(reception: Reception, held: HeldRequest): Promise<void> {
  const scope = parseScope(held.subject);
  const parsed = parseToolRequest(held.payload);
  if (!scope) return giveUp(reception, held, { ok: false, reason: 'The subject names no legal tenant and workspace', identities: {} });
  if (!parsed.ok) return giveUp(reception, held, parsed);
  // Above its Workspace's share a Request waits in the queue, without holding a slot.
  const share = reception.shares.take(scope);
  if (share.waitMs !== undefined) {
    reception.onSentBack();
    return held.again(share.waitMs);
  }
  try {
    await execute(reception, held, { scope, request: parsed.request });
  } finally {
    share.leave();
  }
}

async function execute(reception: Reception, held: HeldRequest, { scope, request }: { scope: Scope; request: ToolRequest }): Promise<void> {
  const { executor, calls } = reception;
  const running = calls.enter({ ...scope, ...request.run, toolCallId: request.toolCallId, askedAt: held.askedAt });
  const traceparent = held.header('traceparent');
  try {
    const end = await executeToolCall(executor, {
      scope,
      request,
      requestId: request.requestId ?? held.queuePosition,
      queuePosition: held.queuePosition,
      redelivered: held.redelivered,
      ...(traceparent !== undefined && isTraceparent(traceparent) ? { traceparent } : {}),
      signal: running.signal,
    });
    if (end.kind === 'again') return held.again(end.delayMs);
    if (end.kind === 'released') return held.release();
    await tell(reception, held, { scope, result: end.result });
  } finally {
    running.leave();
  }
}

/** The result first, then the acknowledgement: a Request whose result was not delivered is delivered again and told again. */
async function tell(
  { connection, executor, restoreResults: restore }: Reception,
  held: HeldRequest,
  { scope, result }: { readonly scope: Scope; readonly result: ToolResult },
): Promise<void> {
  try {
    await publishResult(connection, { scope, result, reply: held.header(replyHeader), restore });
  } catch (error) {
    executor.log.warn(
      { ...scope, requestId: result.requestId, reason: error instanceof Error ? error.message : 'unknown' },
      'a result could not be delivered; its request is told again',
    );
    return held.again(retryDelayMs);
  }
  await held.finish();
}

/** Dead letter first, well acknowledged; only then is the message given up. The queue goes on. */
async function giveUp(reception: Reception, held: HeldRequest, refused: Extract<ParsedToolRequest, { ok: false }>): Promise<void> {
  const { connection, executor } = reception;
  const { reason, identities } = refused;
  await publishDeadLetter(connection, {
    subject: held.subject,
    payload: held.payload,
    reason,
    identities,
    receivedAt: executor.clock.now(),
  });
  const scope = parseScope(held.subject);
  const { ownerKind, runId, toolCallId } = identities;
  if (!scope || !ownerKind || !runId || !toolCallId) return void (await held.finish());
  const failure = failureOf('Rejected', 'request_malformed', { message: reason });
  const requestId = identities.requestId ?? held.queuePosition;
  const none = { invocationId: null, attempt: 0, durationMs: 0, result: null, resultOmitted: null } as const;
  await tell(reception, held, {
    scope,
    result: { ownerKind, runId, toolCallId, requestId, ...none, outcome: 'Failed', failure },
  });
}

/** W3C Trace Context, section 3.2: anything else is not continued. */
const isTraceparent = (value: string): boolean => /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/.test(value);
