import type { FailureKind, Outcome } from '@agentstration/contracts';
import type { ToolProvidersOptions } from '@agentstration/providers';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ExecutorMeter } from '../execute-tool-call/executor-parts.ts';
import type { UnansweredCall } from '../receive-requests/accept-call.ts';

type ProviderEvent = Parameters<NonNullable<ToolProvidersOptions['onEvent']>>[0];

/** What an operator watches. Labels are kinds and codes from closed lists: no Workspace, no id, nothing of a request. */
export class ExecutorMetrics implements ExecutorMeter {
  readonly #attempts: Counter;
  readonly #refusals: Counter;
  readonly #waits: Counter;
  readonly #unanswered: Counter;
  readonly #calls: Counter;
  readonly #callDurations: Histogram;
  readonly #discoveries: Counter;
  readonly #connections: Counter;

  constructor(private readonly registry: Registry) {
    const counter = (name: string, help: string, labelNames: string[] = []) =>
      new Counter({ name, help, labelNames, registers: [registry] });
    this.#attempts = counter('agentstration_attempts_total', 'Attempts whose end is recorded', ['outcome', 'failure_kind']);
    this.#refusals = counter('agentstration_gate_refusals_total', 'Governance facts that were not recorded; nothing was called', [
      'reason',
    ]);
    this.#waits = counter('agentstration_requests_sent_back_total', 'Deliveries above the share of their workspace');
    this.#unanswered = counter('agentstration_calls_unanswered_total', 'Messages on `call` that were dropped: nobody may be answered', [
      'reason',
    ]);
    this.#calls = counter('agentstration_provider_calls_total', 'Calls of tool providers by what became of them', ['outcome', 'code']);
    this.#callDurations = new Histogram({
      name: 'agentstration_provider_call_duration_seconds',
      help: 'Duration of calls of tool providers',
      labelNames: ['outcome'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers: [registry],
    });
    this.#discoveries = counter('agentstration_provider_discoveries_total', 'Discoveries of tools by what became of them', ['code']);
    this.#connections = counter('agentstration_provider_connections_total', 'Connections to tool providers', ['event', 'transport']);
  }

  attemptEnded(outcome: Outcome, failureKind: FailureKind | null): void {
    this.#attempts.inc({ outcome, failure_kind: failureKind ?? 'none' });
  }

  gateRefused(reason: 'fenced' | 'refused' | 'unknown'): void {
    this.#refusals.inc({ reason });
  }

  requestSentBack(): void {
    this.#waits.inc();
  }

  callUnanswered(reason: UnansweredCall): void {
    this.#unanswered.inc({ reason });
  }

  onProviderEvent(event: ProviderEvent): void {
    if (event.type === 'call_ended') {
      this.#calls.inc({ outcome: event.outcome, code: event.code });
      this.#callDurations.observe({ outcome: event.outcome }, event.durationMs / 1000);
    } else if (event.type === 'discovery_ended') this.#discoveries.inc({ code: event.code });
    else if (event.type !== 'message_ignored') {
      this.#connections.inc({ event: event.type.replace('connection_', ''), transport: event.transport });
    }
  }

  /** Shows how many tool calls run here, and whether the gate can open. */
  watch({ running, acceptsAttempts }: { readonly running: () => number; readonly acceptsAttempts: () => boolean }): void {
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers: [this.registry],
        collect() {
          this.set(read());
        },
      });
    gauge('agentstration_requests_running', 'Requests that this executor carries out now', running);
    gauge('agentstration_journal_accepts_attempts', '1 while the Journal is verified and has room', () => Number(acceptsAttempts()));
  }
}
