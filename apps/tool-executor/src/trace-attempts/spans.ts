import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, context, trace } from '@opentelemetry/api';

/** Costs next to nothing and exports nothing while no OpenTelemetry SDK is registered. */
const tracer = trace.getTracer('agentstration-tool-executor');

export interface SpanOf {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** What it belongs to; by default the span around it. */
  readonly parent?: Context;
}

/**
 * Does the work inside of a span, which ends with it. A rejection passes through and marks the span by the error's name
 * alone: messages may hold what no span may.
 */
export function inSpan<T>(
  name: string,
  { kind = SpanKind.INTERNAL, attributes = {}, parent = context.active() }: SpanOf,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return tracer.startActiveSpan(name, { kind, attributes }, parent, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      fail(span, error instanceof Error ? error.name : 'Error');
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks a span as failed by a code: OpenTelemetry semantic conventions, `error.type`. */
export function fail(span: Span, code: string): void {
  span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
}
