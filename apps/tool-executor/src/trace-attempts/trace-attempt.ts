import { type Context, ROOT_CONTEXT, type Span, type SpanContext, TraceFlags, isSpanContextValid, trace } from '@opentelemetry/api';
import type { Attempt } from '../execute-tool-call/attempt.ts';
import type { AttemptRun } from '../execute-tool-call/run-attempt.ts';
import { fail, inSpan } from './spans.ts';

/**
 * One span for one physical attempt, below the span of the requester. Its names are those of the OpenTelemetry conventions
 * for generative AI (`execute_tool`), and it holds identities and codes only.
 */
export const traceAttempt = (attempt: Attempt, run: () => Promise<AttemptRun>): Promise<AttemptRun> =>
  inSpan(
    `execute_tool ${attempt.delivery.request.toolId}`,
    { attributes: attributesOf(attempt), parent: contextOf(attempt.delivery.traceparent) },
    async (span) => {
      const end = await run();
      tell(span, end);
      return end;
    },
  );

/** The `traceparent` of the span that work is done in now; undefined when nothing is exported. */
export function currentTraceparent(): string | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? toTraceparent(span.spanContext()) : undefined;
}

const toTraceparent = ({ traceId, spanId, traceFlags }: SpanContext): string =>
  ['00', traceId, spanId, traceFlags.toString(16).padStart(2, '0')].join('-');

/** W3C Trace Context, section 3.2. Whatever is no `traceparent` starts a trace. */
function contextOf(traceparent: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = ''] = traceparent?.split('-') ?? [];
  const parent: SpanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(parent) ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
}

const attributesOf = ({ delivery: { scope, request, requestId }, entry, invocationId, number }: Attempt) => ({
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': entry?.toolName ?? request.toolId,
  'gen_ai.tool.call.id': request.toolCallId,
  'gen_ai.agent.id': request.agentId,
  'agentstration.tenant.id': scope.tenantId,
  'agentstration.workspace.id': scope.workspaceId,
  'agentstration.run.owner_kind': request.run.ownerKind,
  'agentstration.run.id': request.run.runId,
  'agentstration.request.id': requestId,
  'agentstration.invocation.id': invocationId,
  'agentstration.attempt': number,
  'agentstration.tool.id': request.toolId,
});

function tell(span: Span, end: AttemptRun): void {
  span.setAttribute('agentstration.request.end', end.kind);
  if (end.kind !== 'finished') return;
  span.setAttribute('agentstration.outcome', end.result.outcome);
  if (end.result.failure) fail(span, end.result.failure.code);
}
