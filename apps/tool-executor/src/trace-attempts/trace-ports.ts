import { SpanKind } from '@opentelemetry/api';
import type { AppendOutcome, AttemptStore, Journal, ProviderOutcome, ToolProviders } from '@agentstration/governance';
import type { ExecutorParts } from '../execute-tool-call/executor-parts.ts';
import { fail, inSpan } from './spans.ts';

/** The same parts, with a span around each step of an attempt that leaves the process. */
export const tracePorts = (parts: ExecutorParts): ExecutorParts => ({
  ...parts,
  journal: traceJournal(parts.journal),
  store: traceStore(parts.store),
  providers: traceProviders(parts.providers),
});

function traceJournal(journal: Journal): Journal {
  return {
    append: (append) =>
      inSpan('append fact', { kind: SpanKind.PRODUCER, attributes: { 'messaging.system': 'nats' } }, async (span) => {
        const outcome = await journal.append(append);
        if (outcome.kind === 'acknowledged') span.setAttribute('agentstration.journal.sequence', outcome.acknowledgement.sequence);
        else fail(span, codeOf(outcome));
        return outcome;
      }),
    readLast: (subject) => journal.readLast(subject),
    readToolCall: (call) => journal.readToolCall(call),
  };
}

const codeOf = (outcome: Exclude<AppendOutcome, { kind: 'acknowledged' }>): string =>
  outcome.kind === 'refused' ? outcome.reason : outcome.kind;

const traceStore = (store: AttemptStore): AttemptStore => ({
  resolve: (query) => inSpan('resolve hooks', {}, () => store.resolve(query)),
});

function traceProviders(providers: ToolProviders): ToolProviders {
  return {
    prepare: (provider) => inSpan('connect provider', { kind: SpanKind.CLIENT }, () => providers.prepare(provider)),
    call: (permit, call) =>
      inSpan('tools/call', { kind: SpanKind.CLIENT, attributes: { 'mcp.method.name': 'tools/call' } }, async (span) => {
        const outcome = await providers.call(permit, call);
        if (outcome.kind !== 'answered') fail(span, outcome.code);
        else if (outcome.isError) fail(span, 'tool_error');
        return outcome satisfies ProviderOutcome;
      }),
  };
}
